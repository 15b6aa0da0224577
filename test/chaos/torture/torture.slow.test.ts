// SECURITY.md: A key
/** A short `npm run chaos -- torture`; its long form is for hours in which nothing else runs. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { checkHistory } from '../../proof/history/checker.ts';
import { hasPgbouncer } from '../../support/pgbouncer.ts';
import { type Instances, startPostgresInstances, startSqliteInstances } from './instances.ts';
import { torture } from './run.ts';
import { withoutPort } from './stale-proxy.ts';
import { failuresOf, summarise } from './summary.ts';

let instances: Instances;
beforeAll(async () => {
  instances = await startSqliteInstances();
});
afterAll(async () => {
  await instances?.stop();
});

const plan = { seconds: 8, keys: 24, changers: 8, pauseMs: 10 };

test('no instance decides on a state older than the request, not even one that was stopped in between', async () => {
  const run = await torture(instances, { ...plan, stops: { count: 2, minMs: 300, maxMs: 600 } });
  expect(JSON.stringify(run.events), 'the history has no secret').not.toMatch(/lk_|sk-/);
  const summary = summarise(run);
  expect(failuresOf(summary, { changes: 30, close: 150, telling: 20, faultKinds: 0 })).toEqual([]);
});

test.skipIf(!hasPgbouncer)('nor one that shares the sessions of PostgreSQL with another through a pooler', async () => {
  const pooled = await startPostgresInstances({}, true);
  onTestFinished(pooled.stop);
  const run = await torture(pooled, { ...plan, stops: { count: 2, minMs: 300, maxMs: 600 } });
  expect(failuresOf(summarise(run), { changes: 30, close: 150, telling: 20, faultKinds: 0 })).toEqual([]);
});

test('the same run finds an instance whose cache answers VALID for a second after a revoke', async () => {
  const { header, events, receipts } = await torture(instances, { ...plan, seconds: 6, staleMs: 1000 });
  const { violations } = checkHistory(header, events);
  expect(violations.map(({ verification }) => verification.port)).toContain('B, stale');
  expect(receipts.contradictions.length, 'uses that contradict a receipt').toBeGreaterThan(0);
  expect(checkHistory(header, withoutPort(events, 'B, stale')).violations).toEqual([]);
});
