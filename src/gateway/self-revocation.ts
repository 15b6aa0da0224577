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
  /** Revocations in progress, by key ids. A repeated call waits for the same revocation. */
  readonly #underWay = new Map<string, Promise<boolean>>();
  /** Revocations that management has answered, by key ids. No instance accepts these keys anymore. */
  readonly #revoked = new LruMap<true>(maxRevoked);

  constructor(revokeOwnKey: ControlPlane['revokeOwnKey']) {
    this.#revokeOwnKey = revokeOwnKey;
  }

  /** Returns whether an earlier call has revoked these keys. Revoking is final, and the gateway has just found the keys. */
  isDone(keyIds: readonly string[]): boolean {
    return this.#revoked.get(nameOf(keyIds)) === true;
  }

  /** Returns whether any key was found. `source` is null for a gateway that sends no source. Throws UNAVAILABLE. */
  async revoke(keyIds: readonly string[], source: string | null, call: HolderCall): Promise<boolean> {
    const name = nameOf(keyIds);
    let revocation = this.#underWay.get(name);
    if (revocation === undefined) {
      revocation = this.#queue
        .run(source, () => this.#revokeAll(keyIds, call))
        .finally(() => this.#underWay.delete(name));
      this.#underWay.set(name, revocation);
    }
    const found = await revocation;
    if (found) this.#revoked.set(name, true);
    return found;
  }

  /** Revokes one key at a time, because many teams can have imported the secret. Throws only after trying every key. */
  async #revokeAll(keyIds: readonly string[], call: HolderCall): Promise<boolean> {
    const failures: unknown[] = [];
    let found = false;
    for (const keyId of keyIds) {
      try {
        found = (await this.#revokeOwnKey(keyId, call)) || found;
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    return found;
  }
}

function nameOf(keyIds: readonly string[]): string {
  return keyIds.join(' ');
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
