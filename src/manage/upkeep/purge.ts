import { dayMs, startOfDay } from '../../domain/moment.ts';
import { systemScheduler } from '../../lib/scheduler.ts';
import { JobClaim } from '../../store/job-claim.ts';
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
/** If the instance that purges renews its claim neither at the next time nor while it purges, another one takes over. */
export const takeoverMs = 2 * intervalMs;
const deliveryDays = 14;

/**
 * Removes data that is older than its retention. Throws UNAVAILABLE, possibly after removing some data.
 * @param onStep called after each kind of data
 */
export async function purge(
  { purge: remove }: Store,
  retention: Retention,
  now: Date,
  onStep: () => Promise<unknown> = async () => undefined,
): Promise<Purged> {
  const { usageDays, auditDays, revokedDays, isOperatorSubscribed = false } = retention;
  const daysAgo = (days: number) => new Date(now.getTime() - days * dayMs);
  const purged = { auditEntries: 0, revokedKeys: 0 };
  const steps = [
    () => remove.idempotentCreates(now),
    () => remove.endedSessions(now),
    () => remove.usageHours(daysAgo(usageDays)),
    () => remove.observedSources(daysAgo(usageDays)),
    () => remove.deliveries(daysAgo(deliveryDays)),
    async () => {
      if (auditDays !== undefined)
        purged.auditEntries = await remove.auditEntries(daysAgo(auditDays), isOperatorSubscribed);
    },
    async () => {
      // Rounded to whole days, because purging keys empties every cache, which should happen at most once a day.
      if (revokedDays !== undefined) purged.revokedKeys = await remove.revokedKeys(startOfDay(daysAgo(revokedDays)));
    },
  ];
  for (const step of steps) {
    await step();
    await onStep();
  }
  return purged;
}

/**
 * Purges if this instance holds the claim or may take it. Returns null if not. Two instances that purge at the same time,
 * because one is older or has lost the claim meanwhile, only do the same work twice.
 */
export async function purgeAsHolder(claim: JobClaim, store: Store, retention: Retention, now: Date) {
  return (await claim.takeOrRenew()) ? await purge(store, retention, now, () => claim.write()) : null;
}

/** Purges every ten minutes. Calls `onPurged` if entries or keys were removed, and `report` for errors. */
export function startPurging(
  store: Store,
  retention: Retention,
  onPurged: (purged: Purged) => void,
  report: (error: unknown, what: string) => void,
): Repeated {
  const { claims } = store;
  const claim = new JobClaim({ claims, job: 'purge', standstillMs: takeoverMs, scheduler: systemScheduler });
  const run = async () => {
    const purged = await purgeAsHolder(claim, store, retention, new Date()).catch((error) => {
      // The last write may have been committed, so the claim has to be read again.
      claim.forget();
      throw error;
    });
    if (purged !== null && purged.auditEntries + purged.revokedKeys > 0) onPurged(purged);
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
      await claim.release().catch((error) => report(error, 'another instance removes expired data later'));
    },
  };
}
