import { type Scheduler, systemScheduler } from '../../lib/scheduler.ts';
import { HeldJob } from '../../store/held-job.ts';
import type { Store } from '../../store/store.ts';
import { endFences } from '../fences/lift-fence.ts';
import { PolicyClock } from './policy-clock.ts';

/** Ends fences, and walks over the policies, a minute after the start and then every minute, unless another instance does. */
export function startPolicyClock(
  store: Store,
  report: (error: unknown, what: string) => void,
  scheduler: Pick<Scheduler, 'now' | 'afterIfAlive'> = systemScheduler,
): HeldJob {
  const job = new HeldJob({
    ...{ claims: store.claims, job: 'policies', firstMs: 60_000, intervalMs: 60_000, scheduler, report },
    failure: 'policies could not be enforced; retrying later',
  });
  const clock = new PolicyClock({ store, mayContinue: () => job.mayContinue(), report });
  job.start(async () => {
    await endFences(store, new Date());
    await clock.walk(new Date());
  });
  return job;
}
