import { dayMs, startOfDay } from '../../domain/moment.ts';
import type { Store } from '../../store/store.ts';
import { type Repeated, repeat } from './repeat.ts';

/** How long data is kept. Absent: forever. */
export interface Retention {
  readonly usageDays: number;
  readonly auditDays?: number | undefined;
  readonly revokedDays?: number | undefined;
  /** Whether entries are kept until the subscription of the operator has got them. */
  readonly isOperatorSubscribed?: boolean | undefined;
}

export interface Purged {
  readonly auditEntries: number;
  readonly revokedKeys: number;
}

const intervalMs = 600_000;
const deliveryDays = 14;

/** Removes data that is older than its retention. Throws UNAVAILABLE, possibly after removing some data. */
export async function purge({ purge: remove }: Store, retention: Retention, now: Date): Promise<Purged> {
  const { usageDays, auditDays, revokedDays, isOperatorSubscribed = false } = retention;
  const daysAgo = (days: number) => new Date(now.getTime() - days * dayMs);
  await remove.idempotentCreates(now);
  await remove.endedSessions(now);
  await remove.usageHours(daysAgo(usageDays));
  await remove.observedSources(daysAgo(usageDays));
  await remove.deliveries(daysAgo(deliveryDays));
  const auditEntries =
    auditDays === undefined ? 0 : await remove.auditEntries(daysAgo(auditDays), isOperatorSubscribed);
  // Rounded to whole days, because purging keys empties every cache, which should happen at most once a day.
  const revokedKeys = revokedDays === undefined ? 0 : await remove.revokedKeys(startOfDay(daysAgo(revokedDays)));
  return { auditEntries, revokedKeys };
}

/** Purges every ten minutes. Calls `onPurged` if entries or keys were removed, and `report` for errors. */
export function startPurging(
  store: Store,
  retention: Retention,
  onPurged: (purged: Purged) => void,
  report: (error: unknown, what: string) => void,
): Repeated {
  const run = async () => {
    const purged = await purge(store, retention, new Date());
    if (purged.auditEntries + purged.revokedKeys > 0) onPurged(purged);
  };
  const failure = 'expired data could not be removed; retrying later';
  const purging = repeat(run, { intervalMs, failure, report });
  return {
    get failures() {
      return purging.failures;
    },
    stop: async () => {
      store.purge.stop();
      await purging.stop();
    },
  };
}
