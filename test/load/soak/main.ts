/**
 * `npm run load -- soak [--minutes 10] [--store sqlite|postgresql] [--write]`: a constant load, under which nothing may
 * grow. With `--write`, the row of the store in docs/evidence/benchmarks.md is replaced.
 */
import { readArguments, readNumber, requireOneOf } from '../../harness/arguments.ts';
import { printFailures } from '../../harness/print.ts';
import { takenNow, writeRow } from '../../harness/results/page.ts';
import { failuresOf, memoryOf } from './flatness.ts';
import { print } from './print.ts';
import { soak } from './run.ts';

const { values } = readArguments({
  options: {
    minutes: { type: 'string', default: '10' },
    store: { type: 'string', default: 'sqlite' },
    write: { type: 'boolean', default: false },
  },
});
requireOneOf('--store', values.store, ['sqlite', 'postgresql']);
const minutes = Math.min(60, readNumber('--minutes', values.minutes));
const taken = values.write ? takenNow(['soak']) : null;
const run = await soak(values.store === 'postgresql', 60 * minutes);
print(run);
if (taken !== null) {
  const calls = run.ports.map(({ name, calls }) => `${name} ${calls}`).join(', ');
  const wrong = run.ports.reduce((count, port) => count + port.wrong.length, 0);
  const { growthMbPerMinute } = memoryOf(run);
  const databaseGrowth = run.databaseMb.after - run.databaseMb.before;
  const cells = [values.store, values.minutes, calls, wrong, growthMbPerMinute.toFixed(1), databaseGrowth.toFixed(1)];
  writeRow('soak', taken, cells);
}
printFailures(failuresOf(run));
