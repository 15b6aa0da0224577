/** `npm run soak [-- --minutes 10] [--store sqlite|postgresql]`: a constant load, under which nothing may grow. */
import { parseArgs } from 'node:util';
import { startCountdown } from '../load/progress.ts';
import { failuresOf } from './flatness.ts';
import { print } from './print.ts';
import { soak } from './run.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    store: { type: 'string', default: 'sqlite' },
    /** Verifications a second, and calls of the management port. */
    verifications: { type: 'string', default: '1000' },
    calls: { type: 'string', default: '20' },
  },
});
const stop = new AbortController();
// The results until then are still printed.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());

const seconds = 60 * Math.min(60, Number(values.minutes));
const stopCountdown = startCountdown(seconds, 'the load is running');
const run = await soak(
  {
    store: values.store === 'postgresql' ? 'postgresql' : 'sqlite',
    seconds,
    verificationsPerSecond: Number(values.verifications),
    callsPerSecond: Number(values.calls),
  },
  stop.signal,
).finally(stopCountdown);
print(run);
if (stop.signal.aborted) {
  console.log('\nstopped before its time: nothing is asserted');
  process.exitCode = 130;
} else {
  const failures = failuresOf(run);
  for (const failure of failures) console.log(`\nFAILED: ${failure}`);
  if (failures.length > 0) process.exitCode = 1;
}
