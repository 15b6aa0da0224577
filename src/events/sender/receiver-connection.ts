/**
 * TLS connections to receivers. The receiver determines the CPU time of a handshake: by its key exchange, its keys and
 * the number of its certificates. Therefore, only cheap key exchanges are offered, and the bytes before `secureConnect`
 * are limited. Handshakes are processed one at a time, so that the CPU time of each is known. Teams take turns (the attack
 * expensive-handshakes).
 */
import { constants } from 'node:crypto';
import { connect as connectTcp, type Socket, type TcpNetConnectOpts } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import { Slots } from '../../admission/slots.ts';
import { Turns } from '../../admission/turns.ts';

/** The maximum that is received before `secureConnect`. The chains of public authorities have 3 to 6 kB. */
const maxHandshakeBytes = 16_384;
/** The maximum that is received for one request, including the messages of TLS itself, such as KeyUpdate. */
const maxRequestBytes = 131_072;
/** The maximum number of concurrent handshakes of one team. */
const maxHandshakesPerTeam = 4;
/** Ends the handshake with a receiver that sends nothing, so that its team can start another one. */
const handshakeTimeoutMs = 5000;
/** A normal handshake takes 1 to 3 ms of CPU time, and a normal answer less. */
const expensiveMs = 10;
const restPerCpuMs = 50;

/** Excludes finite-field Diffie-Hellman, whose group the server chooses in TLS 1.2, and renegotiation. */
const secureOptions = {
  minVersion: 'TLSv1.2',
  ciphers:
    'TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:ECDHE+AESGCM:ECDHE+CHACHA20:!PSK',
  ecdhCurve: 'X25519:P-256',
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
} as const;

/** The codes of errors that `LimitedSocket` raises. */
export const connectionErrorCodes = { tooLong: 'ERR_TLS_TOO_LONG', slow: 'ERR_TLS_TOO_SLOW' } as const;

export interface ReceiverAddress extends TcpNetConnectOpts {
  readonly servername?: string | undefined;
  readonly teamId: string;
}

/**
 * Returns the pause after a receiver has caused this CPU time. An endpoint pauses before its next request, so it takes
 * at most 2 % of a processor. A handshake keeps its place during the pause, and a team has four places, so its
 * handshakes together take at most 8 %.
 */
export function restMsAfter(cpuMs: number): number {
  return cpuMs > expensiveMs ? restPerCpuMs * cpuMs : 0;
}

const limitedSockets = new WeakMap<Duplex, LimitedSocket>();

/** Connects to receivers. */
export class ReceiverConnections {
  readonly #context: SecureContext = createSecureContext(secureOptions);
  readonly #handshakes = new Slots();
  readonly #turns = new Turns({ maxPerTurn: 1 });

  connect({ servername = '', ...address }: ReceiverAddress): TLSSocket {
    const { host = '', teamId } = address;
    const limited = new LimitedSocket(connectTcp(address), {
      enter: (start) => this.#handshakes.wait({ holder: teamId, maxSlots: maxHandshakesPerTeam }, start),
      run: (work) => this.#turns.run(teamId, '', work),
    });
    const secureContext = this.#context;
    const socket = connectTls({ host, servername, socket: limited, secureContext, ALPNProtocols: ['http/1.1'] });
    socket.once('secureConnect', () => limited.secured());
    limitedSockets.set(socket, limited);
    return socket;
  }
}

/** Resets the limit of received bytes for the next request. */
export function startRequest(socket: Duplex): void {
  limitedSockets.get(socket)?.startRequest();
}

/** Returns the CPU time for all data received since the last call; 0 without TLS. */
export function takeCpuMs(socket: Duplex | undefined): number {
  return (socket && limitedSockets.get(socket)?.takeCpuMs()) ?? 0;
}

/** Returns the error of the TCP connection, which TLS replaces by another one. */
export function connectionErrorOf(socket: Duplex | undefined): NodeJS.ErrnoException | null {
  return (socket && limitedSockets.get(socket)?.errored) ?? null;
}

interface Handshakes {
  /** Calls back when the handshake may begin. Returns a function that cancels a waiting handshake. */
  readonly enter: (start: (leave: () => void) => void) => () => void;
  /** Processes received data when it is the team's turn. */
  readonly run: (work: () => void) => void;
}

/** The stream below TLS. Node.js can neither limit the bytes of a handshake nor schedule their processing. */
class LimitedSocket extends Duplex {
  readonly #socket: Socket;
  readonly #handshakes: Handshakes;
  #isSecure = false;
  #left = maxHandshakeBytes;
  #cpuMs = 0;
  #countedCpuMs = 0;
  #endHandshake: () => void = () => undefined;
  /** Resolves when the handshake may begin. */
  readonly #begun: Promise<void>;

  constructor(socket: Socket, handshakes: Handshakes) {
    super();
    this.#socket = socket;
    this.#handshakes = handshakes;
    socket.setNoDelay(true);
    this.#begun = new Promise((resolve) => socket.once('connect', () => this.#enter(resolve)));
    socket.on('data', (chunk) => this.#receive(chunk));
    socket.on('end', () => this.push(null));
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
  }

  /** Called when the handshake has succeeded. */
  secured(): void {
    this.#isSecure = true;
    this.#endHandshake();
    this.startRequest();
  }

  startRequest(): void {
    if (this.#isSecure) this.#left = maxRequestBytes;
  }

  takeCpuMs(): number {
    const cpuMs = this.#cpuMs - this.#countedCpuMs;
    this.#countedCpuMs = this.#cpuMs;
    return cpuMs;
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    void this.#begun.then(() => this.#socket.write(chunk, callback));
  }

  override _final(callback: () => void): void {
    this.#socket.end(callback);
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#endHandshake();
    this.#socket.destroy();
    callback(error);
  }

  #enter(begin: () => void): void {
    let timer: NodeJS.Timeout | undefined;
    let leave: () => void = () => undefined;
    const giveUp = this.#handshakes.enter((ended) => {
      leave = ended;
      timer = setTimeout(() => this.destroy(errorOf(connectionErrorCodes.slow)), handshakeTimeoutMs);
      begin();
    });
    this.#endHandshake = () => {
      this.#endHandshake = () => undefined;
      clearTimeout(timer);
      giveUp();
      // TLS may still be processing the last bytes of the handshake, so their CPU time is not known yet.
      setImmediate(() => {
        const restMs = restMsAfter(this.#cpuMs);
        if (restMs === 0) leave();
        else setTimeout(leave, restMs).unref();
      });
    };
  }

  #receive(chunk: Buffer): void {
    this.#left -= chunk.length;
    if (this.#left < 0) this.destroy(errorOf(connectionErrorCodes.tooLong));
    else if (this.#isSecure) this.#passMeasured(chunk);
    else {
      // Data that arrives before this turn gets a later one.
      this.#socket.pause();
      this.#handshakes.run(() => this.#passMeasured(chunk));
    }
  }

  /** Measures `push`, which returns after TLS and HTTP have processed the bytes. */
  #passMeasured(chunk: Buffer): void {
    if (this.destroyed) return;
    const before = process.cpuUsage();
    this.#socket.resume();
    if (!this.push(chunk)) this.#socket.pause();
    const { user, system } = process.cpuUsage(before);
    this.#cpuMs += (user + system) / 1000;
  }
}

function errorOf(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code });
}
