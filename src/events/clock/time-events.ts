import type { Scheduler } from '../../lib/scheduler.ts';
import type { Store } from '../../store/store.ts';
import { MomentEvents } from './moment-events.ts';
import { UnusedKeys } from './unused-keys.ts';

export interface TimeEventsOptions {
  readonly store: Pick<Store, 'changes' | 'eventProgress' | 'keyMoments'>;
  /** How many days before the expiry `key.expiring` is due, latest notice last. */
  readonly expiryNoticeDays: readonly number[];
  /** After how many days without use `key.unused` is due. */
  readonly unusedNoticeDays: number;
  readonly scheduler: Pick<Scheduler, 'afterIfAlive'>;
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

/** Writes the events that no change causes: about the expiry of keys, the end of overlaps, and keys without use. */
export function startTimeEvents(options: TimeEventsOptions): TimeEvents {
  const { store, scheduler, now, report } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  let endPause = () => {};
  // As long as the work took, so that other calls get half of the time.
  const pause = (startedAt: number) =>
    new Promise<void>((resolve) => {
      endPause = resolve;
      if (signal.aborted) resolve();
      scheduler.afterIfAlive(performance.now() - startedAt, resolve);
    });
  const moments = new MomentEvents({ store, noticeDays: options.expiryNoticeDays, report, pause, signal });
  const unused = new UnusedKeys({ store, days: options.unusedNoticeDays, pause, signal });
  const attempt = async (work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      report(error, 'events about times could not be written; retrying later');
    }
  };
  let running = Promise.resolve();
  const run = async () => {
    await attempt(() => moments.writeDue(now()));
    await attempt(() => unused.continueWalk(now()));
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
    },
  };
}
