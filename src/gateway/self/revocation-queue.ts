import { FairQueue } from '../../admission/fair-queue.ts';
import { LatchkeyError } from '../../domain/errors.ts';

/**
 * The maximum number of concurrent revocations. Each one is a write, and no token is required. The limit keeps a flood
 * from taking more than a small share of the write capacity.
 */
const maxRunning = 8;
/** The same for one source, so that a client with several keys can't take all places while revocations wait for a lease. */
const maxRunningPerSource = 4;
/** A revocation takes some milliseconds, so the last one in the queue still runs within a second. */
const maxWaiting = 512;
const maxWaitingPerSource = 64;

type Start = () => void;

interface Source {
  /** Revocations in the queue and running. */
  admitted: number;
  /** Revocations that enter the queue when another one of the source has ended. */
  readonly waiting: Start[];
}

/** Runs a few revocations at a time. The others wait, and sources take turns. */
export class RevocationQueue {
  readonly #sources = new Map<string, Source>();
  readonly #queue = new FairQueue<Start>();
  #running = 0;
  #waiting = 0;

  /** `source` is null for a gateway that names none: its clients are not known. Throws UNAVAILABLE if too many wait. */
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
