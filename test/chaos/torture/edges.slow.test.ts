// SECURITY.md: A key
/** A short `npm run chaos -- torture --edges 3 --store postgresql`. */
import { afterEach, expect, test } from 'vitest';
import { checkHistory } from '../../proof/history/checker.ts';
import { type Instances, startEdgeInstances } from './instances.ts';
import { torture } from './run.ts';
import { withoutPort } from './stale-proxy.ts';
import { summarise } from './summary.ts';

let instances: Instances | undefined;
afterEach(async () => {
  await instances?.stop();
  instances = undefined;
});

const plan = { keys: 24, changers: 8, pauseMs: 10 };

test.each([0, 50])(
  'with a lease of %i ms, no edge decides on a state older than the request, while it is stopped, its upstream is killed and the way there is blocked',
  async (leaseMs) => {
    instances = await startEdgeInstances({ VERIFY_LEASE_MS: String(leaseMs) });
    const run = await torture(instances, { ...plan, leaseMs, seconds: 12, faults: 3 });
    const { violations, strange, telling, ports, receipts } = summarise(run);
    expect(violations).toEqual([]);
    expect(receipts).toMatchObject({ incomplete: 0, contradictions: [] });
    expect(receipts.count).toBeGreaterThan(0);
    expect(strange).toEqual([]);
    expect(telling).toBeGreaterThan(20);
    for (const name of run.edges) expect(ports.get(name)?.sent).toBeGreaterThan(20);
  },
);

test('the same run finds an edge that skips confirmations, because its upstream keeps its state for three seconds', async () => {
  instances = await startEdgeInstances({}, 3000);
  const { header, events } = await torture(instances, { ...plan, keys: 8, seconds: 12 });
  const { violations } = checkHistory(header, events);
  expect(violations.map(({ verification }) => verification.port)).toContain('E1, stale');
  expect(checkHistory(header, withoutPort(events, 'E1, stale')).violations).toEqual([]);
});
