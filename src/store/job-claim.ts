import { randomUUID } from 'node:crypto';
import type { Scheduler } from '../lib/scheduler.ts';
import type { Work } from './changes/change-queue.ts';
import type { Claim, Claims, Job } from './rows/claims.ts';

export interface JobClaimOptions {
  readonly claims: Pick<Claims, 'read' | 'move'>;
  readonly job: Job;
  /** If the beat stands still for this time, the holder has ended or hangs, and another instance may take the job. */
  readonly standstillMs: number;
  readonly scheduler: Pick<Scheduler, 'now'>;
}

/** The part of `standstillMs` for which a holder relies on its last write. */
const trustedShare = 0.75;

/**
 * What this instance knows of the claim on a job: whether it holds it, or how long it has seen the same beat of another
 * holder. It measures this time with its own clock only, so the clocks of different machines are never compared.
 *
 * The holder must write while it works, as a part of its work: a timer would go on while the work hangs. Each write fails
 * if another instance has taken the job.
 */
export class JobClaim {
  readonly #options: JobClaimOptions;
  readonly #name: string = randomUUID();
  #held: Claim | null = null;
  #renewedMs = 0;
  #seen: Claim | null = null;
  #seenSinceMs = 0;

  constructor(options: JobClaimOptions) {
    this.#options = options;
  }

  /** The claim as this instance wrote it last. Null if it does not hold it, or has lost it. */
  get held(): Claim | null {
    return this.#held;
  }

  /** The time since the last write; infinite without the claim. */
  get sinceRenewedMs(): number {
    return this.#held === null ? Number.POSITIVE_INFINITY : this.#options.scheduler.now() - this.#renewedMs;
  }

  /** Whether this instance holds the claim, and no other instance can have taken it yet. */
  get isSafe(): boolean {
    return this.sinceRenewedMs < this.#options.standstillMs * trustedShare;
  }

  /** Returns the claim as it is stored, if this instance may take it; null if another instance holds it. */
  async findTakeable(): Promise<Claim | null> {
    const { claims, job, standstillMs, scheduler } = this.#options;
    const claim = await claims.read(job);
    if (claim.holder === '' || claim.holder === this.#name) return claim;
    const now = scheduler.now();
    if (claim.holder !== this.#seen?.holder || claim.beat !== this.#seen.beat) {
      this.#seen = claim;
      this.#seenSinceMs = now;
    }
    return now - this.#seenSinceMs >= standstillMs ? claim : null;
  }

  /** Takes a claim that `findTakeable` returned. Returns null if it has changed since. */
  async take(claim: Claim, work?: Work<unknown>): Promise<Claim | null> {
    return await this.#move(claim, this.#name, work);
  }

  /**
   * Renews the claim if this instance holds it, or takes it if it may, and does the work in the same transaction. Returns
   * whether it holds the claim now.
   */
  async takeOrRenew(work?: Work<unknown>): Promise<boolean> {
    const claim = this.#held ?? (await this.findTakeable());
    return claim !== null && (await this.take(claim, work)) !== null;
  }

  /** Renews the claim, and does the work in the same transaction. Returns null, and writes nothing, if it is lost. */
  async write(work?: Work<unknown>): Promise<Claim | null> {
    return this.#held === null ? null : await this.#move(this.#held, this.#name, work);
  }

  /** Does the last work, and lets another instance take the job at once. Returns null if the claim is lost. */
  async release(work?: Work<unknown>): Promise<Claim | null> {
    return this.#held === null ? null : await this.#move(this.#held, '', work);
  }

  /** Forgets what this instance knows of the claim, and how long it has seen the same beat. */
  forget(): void {
    this.#held = null;
    this.#seen = null;
  }

  async #move(from: Claim, holder: string, work?: Work<unknown>): Promise<Claim | null> {
    const { claims, job, scheduler } = this.#options;
    const startedMs = scheduler.now();
    const moved = await claims.move(job, from, holder, work);
    this.#held = holder === '' ? null : moved;
    this.#renewedMs = startedMs;
    return moved;
  }
}
