/** A short `npm run chaos -- torture events`, on PostgreSQL and on SQLite. */
import { afterEach, expect, test } from 'vitest';
import { type EventInstances, startEventInstances } from '../instances.ts';
import { tortureEvents } from './run.ts';
import { describeFindings, failuresOfEvents, summariseEvents } from './summary.ts';

let instances: EventInstances | undefined;
afterEach(async () => {
  await instances?.stop();
  instances = undefined;
});

const plan = { teams: 2, changersPerTeam: 3, keysPerTeam: 12, pauseMs: 80 };

test.each([
  ['two instances on PostgreSQL are killed and PostgreSQL is restarted', true, 3],
  ['the only instance on SQLite is killed', false, 1],
])('each event arrives unchanged, in order for each key, while %s', async (_, onPostgres, interruptions) => {
  instances = await startEventInstances(onPostgres);
  const changes = 300;
  const summary = await summariseEvents(await tortureEvents(instances, { ...plan, changes, interruptions }));
  expect(describeFindings(summary.findings)).toEqual([]);
  expect(failuresOfEvents(summary, { changes, interruptions, revokeMs: null })).toEqual([]);
});
