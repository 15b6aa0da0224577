import type { Scheduler } from '../../lib/scheduler.ts';
import { HeldJob } from '../../store/held-job.ts';
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

/**
 * Writes the events that no change causes: about the expiry of keys, the end of overlaps, and keys without use. Every half
 * a minute, one instance checks what is due. If another one checks at the same time, because it is older or has taken the
 * job, no event is written twice: each write depends on the stored progress.
 */
export function startTimeEvents(options: TimeEventsOptions): HeldJob {
  const { store, scheduler, now, report } = options;
  const job = new HeldJob({
    ...{ claims: store.claims, job: 'timeEvents', firstMs: 5000, intervalMs: 30_000, scheduler, report },
    failure: 'events about times could not be written; retrying later',
  });
  const { signal } = job;
  let endPause = () => {};
  signal.addEventListener('abort', () => endPause());
  // As long as the work took, so that other calls get half of the time.
  const pause = async (startedAt: number) => {
    const holds = await job.mayContinue();
    // Also if the stop came meanwhile, when there was no pause to end.
    if (signal.aborted) return;
    if (!holds) throw new Error('another instance has taken the job');
    await new Promise<void>((resolve) => {
      endPause = resolve;
      scheduler.afterIfAlive(performance.now() - startedAt, resolve);
    });
  };
  const moments = new MomentEvents({ store, noticeDays: options.expiryNoticeDays, report, pause, signal });
  const unused = new UnusedKeys({ store, days: options.unusedNoticeDays, pause, signal });
  job.start(async () => {
    try {
      await moments.writeDue(now());
    } finally {
      await unused.continueWalk(now());
    }
  });
  return job;
}
