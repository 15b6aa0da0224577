/** Revokes keys for their holders. No token is needed, so a flood must take only a small share of the writes. */
import { FairQueue } from '../admission/fair-queue.ts';
import { LatchkeyError } from '../domain/errors.ts';
import { LruMap } from '../lib/lru-map.ts';
import type { ControlPlane, HolderCall } from '../wire/control-plane.ts';

const maxRunning = 8;
/** Limits one source, so that a client with several keys can't take all places while revocations wait for a lease. */
const maxRunningPerSource = 4;
/** A revocation takes some milliseconds, so even the last revocation in the queue runs within a second. */
const maxWaiting = 512;
const maxWaitingPerSource = 64;
/** The number of remembered revocations, so that a repeated call needs no write. */
const maxRevoked = 10_000;

export class SelfRevocation {
  readonly #revokeOwnKey: ControlPlane['revokeOwnKey'];
  readonly #queue = new RevocationQueue();
  /** Revocations in progress, by key id. A repeated call waits for the same revocation. */
  readonly #underWay = new Map<string, Promise<boolean>>();
  /** The keys whose revocation management has answered. No instance accepts them anymore. */
  readonly #revoked = new LruMap<true>(maxRevoked);

  constructor(revokeOwnKey: ControlPlane['revokeOwnKey']) {
    this.#revokeOwnKey = revokeOwnKey;
  }

  /** Returns whether an earlier call has revoked this key. Revoking is final, and the gateway has just found the key. */
  isDone(keyId: string): boolean {
    return this.#revoked.get(keyId) === true;
  }

  /** Returns whether the key was found. `source` is null for a gateway that sends no source. Throws UNAVAILABLE. */
  async revoke(keyId: string, source: string | null, call: HolderCall): Promise<boolean> {
    let revocation = this.#underWay.get(keyId);
    if (revocation === undefined) {
      revocation = this.#queue
        .run(source, () => this.#revokeOwnKey(keyId, call))
        .finally(() => this.#underWay.delete(keyId));
      this.#underWay.set(keyId, revocation);
    }
    const found = await revocation;
    if (found) this.#revoked.set(keyId, true);
    return found;
  }
}

type Start = () => void;

interface Source {
  /** The number of queued and running revocations. */
  admitted: number;
  /** Revocations that enter the queue when an earlier revocation of this source has ended. */
  readonly waiting: Start[];
}

/** Runs a few revocations at a time. All others wait in a queue in which sources take turns. */
export class RevocationQueue {
  readonly #sources = new Map<string, Source>();
  readonly #queue = new FairQueue<Start>();
  #running = 0;
  #waiting = 0;

  async run<T>(source: string | null, revoke: () => Promise<T>): Promise<T> {
    const name = source ?? 'unnamed';
    await this.#turn(name, source === null ? maxRunning : maxRunningPerSource);
    try {
      return await revoke();
    } finally {
      this.#running -= 1;
      this.#leave(name);
      this.#startNext();
    }
  }

  async #turn(name: string, maxAdmitted: number): Promise<void> {
    const source = this.#sources.get(name) ?? { admitted: 0, waiting: [] };
    if (this.#waiting >= maxWaiting || source.waiting.length >= maxWaitingPerSource) {
      throw new LatchkeyError('UNAVAILABLE', 'Too many revocations are under way; try again shortly.');
    }
    this.#sources.set(name, source);
    this.#waiting += 1;
    await new Promise<void>((resolve) => {
      if (source.admitted < maxAdmitted) this.#admit(name, source, resolve);
      else source.waiting.push(resolve);
      this.#startNext();
    });
  }

  #admit(name: string, source: Source, start: Start): void {
    source.admitted += 1;
    this.#queue.push(name, start);
  }

  #leave(name: string): void {
    const source = this.#sources.get(name);
    if (source === undefined) return;
    source.admitted -= 1;
    const next = source.waiting.shift();
    if (next !== undefined) this.#admit(name, source, next);
    else if (source.admitted === 0) this.#sources.delete(name);
  }

  #startNext(): void {
    while (this.#running < maxRunning) {
      const start = this.#queue.shift();
      if (start === undefined) return;
      this.#running += 1;
      this.#waiting -= 1;
      start();
    }
  }
}
