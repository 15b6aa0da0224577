import type { Scheduler } from '../../lib/scheduler.ts';
import { JobClaim } from '../../store/job-claim.ts';
import type { Store } from '../../store/store.ts';
import { MomentEvents } from './moment-events.ts';
import { UnusedKeys } from './unused-keys.ts';

export interface TimeEventsOptions {
  readonly store: Pick<Store, 'changes' | 'claims' | 'eventProgress' | 'keyMoments'>;
  /** How many days before the expiry `key.expiring` is due, latest notice last. */
  readonly expiryNoticeDays: readonly number[];
  /** After how many days without use `key.unused` is due. */
  readonly unusedNoticeDays: number;
  readonly scheduler: Pick<Scheduler, 'now' | 'afterIfAlive'>;
  readonly now: () => Date;
  readonly report: (error: unknown, what: string) => void;
}

export interface TimeEvents {
  /** Resolves when nothing more is written. */
  readonly stop: () => Promise<void>;
}

/** After the start, which has more urgent work. */
const firstMs = 5000;
const intervalMs = 30_000;
/** How often the claim is renewed during a check, and after which time another instance takes it. */
const beatMs = 10_000;
export const takeoverMs = 60_000;

/**
 * Writes the events that no change causes: about the expiry of keys, the end of overlaps, and keys without use. In each
 * interval, the instance that holds the claim checks what is due. If another instance checks at the same time, because it
 * is older or has taken the claim, no event is written twice: each write depends on the stored progress.
 */
export function startTimeEvents(options: TimeEventsOptions): TimeEvents {
  const { store, scheduler, now, report } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const claim = new JobClaim({ claims: store.claims, job: 'timeEvents', standstillMs: takeoverMs, scheduler });
  let endPause = () => {};
  // As long as the work took, so that other calls get half of the time.
  const pause = async (startedAt: number) => {
    if (claim.sinceRenewedMs >= beatMs) await claim.write();
    await new Promise<void>((resolve) => {
      endPause = resolve;
      if (signal.aborted) resolve();
      scheduler.afterIfAlive(performance.now() - startedAt, resolve);
    });
  };
  const moments = new MomentEvents({ store, noticeDays: options.expiryNoticeDays, report, pause, signal });
  const unused = new UnusedKeys({ store, days: options.unusedNoticeDays, pause, signal });
  /** Returns null after an error. */
  const attempt = async <T>(work: () => Promise<T>): Promise<T | null> => {
    try {
      return await work();
    } catch (error) {
      // The last write may have been committed, so the claim has to be read again.
      claim.forget();
      report(error, 'events about times could not be written; retrying later');
      return null;
    }
  };
  let running = Promise.resolve();
  const run = async () => {
    if (await attempt(() => claim.takeOrRenew())) {
      await attempt(() => moments.writeDue(now()));
      await attempt(() => unused.continueWalk(now()));
    }
    schedule(intervalMs);
  };
  const schedule = (ms: number) =>
    scheduler.afterIfAlive(ms, () => {
      if (!signal.aborted) running = run();
    });
  schedule(firstMs);
  return {
    stop: async () => {
      stopping.abort();
      endPause();
      await running;
      await attempt(() => claim.release());
    },
  };
}
