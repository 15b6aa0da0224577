import { AsyncLocalStorage } from 'node:async_hooks';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { Turns } from '../../admission/turns.ts';
import type { ClientNetwork, ClientNetworks } from '../client-networks.ts';

const prefaceBytes = 24;
const frameHeadBytes = 9;
const [dataFrame, headersFrame] = [0, 1];
/** Frames of a call after its HEADERS, and frames without a call, that count as one start. */
const maxFramesPerStart = 16;

/** The number of starts without an answered call that a connection has at once. */
const maxCredit = 128;
/** Further ones wait for this many a second. A health check every second needs two. */
const creditPerSecond = 8;
/** About 8 seconds at that pace. */
const maxDelays = 64;

const goawayFrame = 7;
const enhanceYourCalm = 11;

const nothing: Buffer = Buffer.alloc(0);

/** gRPC tells nothing about a connection but its address. */
const current = new AsyncLocalStorage<Connection>();

interface ConnectionParts {
  readonly socket: Socket;
  readonly networks: ClientNetworks;
  readonly turns: Turns;
}

/**
 * A connection of the port for gRPC. Hands the bytes of its client to HTTP/2 in turns, one call at a time: HTTP/2 would
 * start all calls that a read of 64 kB contains, more than 2,000 if they are reset at once (CVE-2023-44487), and their
 * token is known only then. Turns limit what starts at once, not how long a flood goes on: a connection without answered
 * calls, for example one that resets its calls or only asks for the health, is slowed down, then closed (the attack
 * ext-authz-floods).
 */
export class Connection extends Duplex {
  readonly network: ClientNetwork;
  readonly #name: string;
  readonly #socket: Socket;
  readonly #networks: ClientNetworks;
  readonly #turns: Turns;
  /** What was received last, of which the bytes from `#at` on are not handed over. */
  #received = nothing;
  #at = 0;
  #hasEnded = false;
  /** The bytes of the current frame that are not handed over. */
  #left = prefaceBytes;
  #lastStream = 0;
  #isWaiting = false;
  /** Whether HTTP/2 reads nothing at the moment. */
  #isFull = false;
  #credit = maxCredit;
  #creditedAt = performance.now();
  #delays = 0;

  constructor({ socket, networks, turns }: ConnectionParts) {
    super({ allowHalfOpen: true });
    const { network, name } = networks.add(socket);
    this.network = network;
    this.#name = name;
    this.#socket = socket;
    this.#networks = networks;
    this.#turns = turns;
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.once('end', () => {
      this.#hasEnded = true;
      if (!this.#isWaiting) this.push(null);
    });
    socket.once('error', () => this.destroy());
    socket.once('close', () => this.destroy());
  }

  /** Returns the connection of the current call. */
  static current(): Connection | undefined {
    return current.getStore();
  }

  /** Creates the HTTP/2 session in one of the next turns. It keeps the context in which it is created. */
  begin(createSession: (connection: Duplex) => void): void {
    this.#turns.run(this.network.name, this.#name, () => {
      if (!this.destroyed) current.run(this, createSession, this);
    });
  }

  /** Called when a call with a verifier token begins: it costs nothing unless it is reset. */
  admitted(): void {
    this.#credit += 1;
  }

  reset(): void {
    this.#credit -= 1;
  }

  /** Called when a call with a verifier token was answered. Clients of Envoy can cause resets, but not only resets. */
  answered(): void {
    this.#credit = maxCredit;
    this.#delays = 0;
  }

  #receive(chunk: Buffer): void {
    if (this.destroyed) return;
    const rest = this.#received.subarray(this.#at);
    this.#received = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    this.#at = 0;
    // A new connection of a delayed address resumes reading when its delay is over.
    if (this.#isWaiting) this.#socket.pause();
    else this.#handOver(false);
  }

  /** `isTurn`: whether the connection has a turn, which is for one start. */
  #handOver(isTurn: boolean): void {
    const received = this.#received;
    const from = this.#at;
    let hasTurn = isTurn;
    while (this.#left > 0 ? this.#at < received.length : received.length - this.#at >= frameHeadBytes) {
      if (!this.#hasCredit()) break;
      if (isTurn ? !hasTurn : !this.#turns.start()) {
        this.#wait((resume) => this.#turns.wait(this.network.name, this.#name, resume), true);
        break;
      }
      hasTurn = false;
      this.#at = this.#endOfStart(received, this.#at);
    }
    const started = received.subarray(from, this.#at);
    // Frees the memory of an idle connection.
    if (this.#at === received.length) this.#received = nothing;
    if (this.#received === nothing) this.#at = 0;
    if (started.length > 0 && !current.run(this, () => this.push(started))) {
      this.#isFull = true;
      this.#socket.pause();
    }
    if (this.#hasEnded && !this.#isWaiting) this.push(null);
  }

  /** Returns where the next start begins, or where the received bytes of this one end. */
  #endOfStart(received: Buffer, from: number): number {
    let at = from;
    for (let frames = 0; ; frames += 1) {
      const part = Math.min(this.#left, received.length - at);
      at += part;
      this.#left -= part;
      if (this.#left > 0 || received.length - at < frameHeadBytes) return at;
      const type = received[at + 3];
      const isCall = type === headersFrame;
      if (at > from && (isCall || frames >= maxFramesPerStart)) return at;
      if (isCall) this.#lastStream = received.readUInt32BE(at + 5) & 0x7fff_ffff;
      if (type !== dataFrame) this.#credit -= isCall ? 1 : 1 / maxFramesPerStart;
      this.#left = frameHeadBytes + received.readUIntBE(at, 3);
    }
  }

  #hasCredit(): boolean {
    if (this.#credit >= 1) return true;
    const now = performance.now();
    const earned = Math.floor(((now - this.#creditedAt) / 1000) * creditPerSecond);
    if (earned > 0) {
      this.#credit = Math.min(maxCredit, this.#credit + earned);
      this.#creditedAt = now;
      if (this.#credit === maxCredit) this.#delays = 0;
      if (this.#credit >= 1) return true;
    }
    this.#delays += 1;
    if (this.#delays > maxDelays) this.#close();
    else this.#wait((resume) => setTimeout(resume, 1000 / creditPerSecond), false);
    return false;
  }

  #wait(later: (resume: () => void) => void, isTurn: boolean): void {
    this.#isWaiting = true;
    this.#socket.pause();
    later(() => {
      this.#isWaiting = false;
      if (this.destroyed) return;
      if (!this.#isFull) this.#socket.resume();
      this.#handOver(isTurn);
    });
  }

  /** HTTP/2 has whole frames written, so another frame can follow them here. */
  #close(): void {
    const frame = Buffer.alloc(frameHeadBytes + 8);
    frame.writeUIntBE(8, 0, 3);
    frame.writeUInt8(goawayFrame, 3);
    frame.writeUInt32BE(this.#lastStream, frameHeadBytes);
    frame.writeUInt32BE(enhanceYourCalm, frameHeadBytes + 4);
    this.#socket.write(frame);
    this.#networks.delayNewConnections(this.#socket);
    this.destroy();
  }

  override _read(): void {
    if (!this.#isFull) return;
    this.#isFull = false;
    if (!this.#isWaiting) this.#socket.resume();
  }

  override _write(chunk: Buffer, _: BufferEncoding, callback: (error?: Error | null) => void): void {
    this.#socket.write(chunk, callback);
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], callback: (error?: Error | null) => void): void {
    this.#socket.cork();
    for (const [i, { chunk }] of chunks.entries())
      this.#socket.write(chunk, i === chunks.length - 1 ? callback : undefined);
    this.#socket.uncork();
  }

  override _final(callback: () => void): void {
    this.#socket.end(callback);
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    // After a GOAWAY, the client has a second to read it.
    this.#socket.setTimeout(1000, () => this.#socket.destroy());
    this.#socket.destroySoon();
    callback(error);
  }
}
