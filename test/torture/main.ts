/** `npm run torture [-- --seconds <n>] [-- --stale <ms>]`: tries to catch an instance deciding on an old state. */
import { parseArgs } from 'node:util';
import { startInstances } from './instances.ts';
import { print } from './print.ts';
import { torture } from './run.ts';
import { failuresOf, summarise } from './summary.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '90' },
    /** Shows what it catches: B is asked through a cache that keeps its verdicts for as long. */
    stale: { type: 'string' },
  },
});
const seconds = Math.min(600, Number(values.seconds));
const demands = { changes: 2000, close: 10_000, telling: 2000 };

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const instances = await startInstances();
try {
  const run = await torture(instances, {
    seconds,
    keys: 48,
    changers: 8,
    pauseMs: 30,
    stops: { count: Math.floor(seconds / 8), leastMs: 1000, mostMs: 3000 },
    staleMs: values.stale === undefined ? null : Number(values.stale),
  });
  const summary = summarise(run);
  print(summary);
  const failures = failuresOf(summary, demands);
  for (const failure of failures.slice(0, 10)) console.log(`\nFAILED: ${failure}`);
  if (failures.length > 0) process.exitCode = 1;
} finally {
  await instances.stop();
}
