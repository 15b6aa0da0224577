import { dayMs, startOfDay } from '../../domain/moment.ts';
import { sourceDays } from '../../domain/source/observed-source.ts';
import { type Scheduler, systemScheduler } from '../../lib/scheduler.ts';
import { HeldJob } from '../../store/held-job.ts';
import type { Store } from '../../store/store.ts';

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

const deliveryDays = 14;
/** Receipts speak of the last hour. */
const verifierDays = 1;

/**
 * Removes data that is older than its retention. Throws UNAVAILABLE, possibly after removing some data.
 * @param mayContinue called before each transaction; nothing more is removed once it returns false
 */
export async function purge(
  store: Pick<Store, 'purge'>,
  retention: Retention,
  now: Date,
  mayContinue: () => Promise<boolean> = async () => true,
): Promise<Purged> {
  const remove = store.purge.while(mayContinue);
  const { usageDays, auditDays, revokedDays, isOperatorSubscribed = false } = retention;
  const daysAgo = (days: number) => new Date(now.getTime() - days * dayMs);
  const purged = { auditEntries: 0, revokedKeys: 0 };
  await remove.idempotentCreates(now);
  await remove.endedSessions(now);
  await remove.usageHours(daysAgo(usageDays));
  await remove.observedSources(daysAgo(usageDays));
  await remove.sourceDays(daysAgo(Math.min(usageDays, sourceDays)));
  await remove.deliveries(daysAgo(deliveryDays));
  await remove.verifiers(daysAgo(verifierDays));
  if (auditDays !== undefined) await remove.answeredChanges(daysAgo(auditDays));
  if (auditDays !== undefined)
    purged.auditEntries = await remove.auditEntries(daysAgo(auditDays), isOperatorSubscribed);
  // Rounded to whole days, because purging keys empties every cache, which should happen at most once a day.
  if (revokedDays !== undefined) purged.revokedKeys = await remove.revokedKeys(startOfDay(daysAgo(revokedDays)));
  return purged;
}

/**
 * Purges a minute after the start and then every ten minutes, unless another instance does. Calls `onPurged` if entries or
 * keys were removed, and `report` for errors.
 */
export function startPurging(
  store: Store,
  retention: Retention,
  onPurged: (purged: Purged) => void,
  report: (error: unknown, what: string) => void,
  scheduler: Pick<Scheduler, 'now' | 'afterIfAlive'> = systemScheduler,
): HeldJob {
  const job = new HeldJob({
    ...{ claims: store.claims, job: 'purge', firstMs: 60_000, intervalMs: 600_000, scheduler, report },
    failure: 'expired data could not be removed; retrying later',
  });
  job.start(async () => {
    const purged = await purge(store, retention, new Date(), () => job.mayContinue());
    if (purged.auditEntries + purged.revokedKeys > 0) onPurged(purged);
  });
  return job;
}
