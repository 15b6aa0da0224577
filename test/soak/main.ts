/** `npm run stress -- soak [--minutes 10] [--store sqlite|postgresql]`: a constant load, under which nothing may grow. */
import { parseArgs } from 'node:util';
import { printFailures } from '../load/print.ts';
import { exitOnSignals } from '../load/schedule.ts';
import { failuresOf } from './flatness.ts';
import { print } from './print.ts';
import { soak } from './run.ts';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, store: { type: 'string', default: 'sqlite' } },
});
exitOnSignals();
const run = await soak(values.store === 'postgresql', 60 * Math.min(60, Number(values.minutes)));
print(run);
printFailures(failuresOf(run));
