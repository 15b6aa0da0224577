/**
 * A job that one instance at a time does at intervals. The instance that gets the claim does the job, and renews the claim
 * meanwhile; if it is killed or hangs, another one takes over.
 */
import type { Scheduler } from '../lib/scheduler.ts';
import { JobClaim, type JobClaimOptions } from './job-claim.ts';

export interface HeldJobOptions extends Pick<JobClaimOptions, 'claims' | 'job'> {
  /** After the start, which has more urgent work. */
  readonly firstMs: number;
  readonly intervalMs: number;
  readonly scheduler: Pick<Scheduler, 'now' | 'afterIfAlive'>;
  /** What an error says, as in "expired data could not be removed; retrying later". */
  readonly failure: string;
  readonly report: (error: unknown, what: string) => void;
}

/** How often the claim is renewed during the job, and after which time another instance takes it. */
const beatMs = 10_000;
export const takeoverMs = 60_000;

export class HeldJob {
  readonly #options: HeldJobOptions;
  readonly #claim: JobClaim;
  readonly #stopping = new AbortController();
  #failures = 0;
  #running = Promise.resolve();

  constructor(options: HeldJobOptions) {
    this.#options = options;
    this.#claim = new JobClaim({ ...options, standstillMs: takeoverMs });
  }

  /** How many runs have failed. */
  get failures(): number {
    return this.#failures;
  }

  /** Aborted when the job must end. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  start(work: () => Promise<void>): void {
    this.#schedule(this.#options.firstMs, work);
  }

  /** Resolves when the job has ended. Another instance may then do it at once. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await this.#attempt(() => this.#claim.release());
  }

  /** To be called in each step of the work. Returns false after a stop, or if another instance has taken the job. */
  async mayContinue(): Promise<boolean> {
    if (this.signal.aborted) return false;
    return this.#claim.sinceRenewedMs < beatMs || (await this.#claim.write()) !== null;
  }

  #schedule(ms: number, work: () => Promise<void>): void {
    this.#options.scheduler.afterIfAlive(ms, () => {
      if (!this.signal.aborted) this.#running = this.#run(work);
    });
  }

  async #run(work: () => Promise<void>): Promise<void> {
    const { intervalMs } = this.#options;
    const isHeld = await this.#attempt(() => this.#claim.takeOrRenew());
    if (isHeld) await this.#attempt(work);
    // Nobody renews it until the next time, and others could take it only after they have seen it stand still.
    if (intervalMs >= takeoverMs) await this.#attempt(() => this.#claim.release());
    this.#schedule(isHeld ? intervalMs : Math.min(intervalMs, takeoverMs), work);
  }

  /** Returns null after an error. */
  async #attempt<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      // The last write may have been committed, so the claim has to be read again.
      this.#claim.forget();
      this.#failures += 1;
      this.#options.report(error, this.#options.failure);
      return null;
    }
  }
}
