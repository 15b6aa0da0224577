/** The smallest parts of `npm run prove -- spin`, so that a change of the model that breaks it is noticed. */
import { describe, expect, test } from 'vitest';
import { type Configuration, configurations, mutants } from './configurations.ts';
import { missingPrograms, search } from './spin.ts';

const missing = await missingPrograms();
const isSkipped = missing.length > 0 && process.env.CI === undefined;
if (isSkipped) console.warn(`test/proof/model/model.slow.test.ts is skipped: not installed: ${missing.join(', ')}`);

const named = (name: string, all: readonly Configuration[]): Configuration => {
  const found = all.find((item) => item.name === name);
  if (found === undefined) throw new RangeError(`there is no ${name}`);
  return found;
};

describe.skipIf(isSkipped)('Spin', () => {
  test('proves the promise in the smallest configuration', async () => {
    const { holds, isBroken, states, trace } = await search(named('process', configurations));
    expect({ holds, isBroken, trace }).toEqual({ holds: true, isBroken: false, trace: [] });
    expect(states).toBeGreaterThan(10_000);
  });

  test.each([
    ['LATE_ARRIVAL', /^wrong: no state since the arrival accepts the secret$/m],
    ['LATE_ANSWER', /^the edge takes the late answer of process 0$/m],
  ])('rejects %s, with the steps that break the promise', async (name, step) => {
    const mutant = named(name, mutants);
    const { holds, isBroken, trace } = await search({
      constants: { ...mutant.constants, [name]: 1 },
      isShortest: true,
    });
    expect({ holds, isBroken }).toEqual({ holds: false, isBroken: true });
    expect(trace.join('\n')).toMatch(step);
    expect(trace.join('\n')).toMatch(/VALID\nwrong: no state/);
    for (const line of trace) expect(line).toMatch(/^(writer|process|the|wrong)\b/);
  });

  test('does not take an incomplete search for a proof', async () => {
    const { holds, isBroken } = await search({ ...named('process', configurations), maxDepth: 50 });
    expect({ holds, isBroken }).toEqual({ holds: false, isBroken: false });
  });
});
