/**
 * `npm run chaos -- torture [--store postgresql] [--seconds <n>] [--edges 3] [--pooler] [--lease <ms>]
 * [--history <file>]`:
 * tries to catch an instance deciding on an old state.
 * `npm run chaos -- torture events [--store postgresql] [--changes <n>]`: tries to lose, repeat differently or reorder events.
 * With `--write`, the row of these options in docs/evidence/benchmarks.md is replaced.
 */

import { readArguments, readNumber, rejectArguments, requireOneOf } from '../../harness/arguments.ts';
import { printFailures, progress } from '../../harness/print.ts';
import { takenNow, writeRow } from '../../harness/results/page.ts';
import { writeHistory } from '../../proof/history/recording.ts';
import { printEvents } from './events/print.ts';
import { tortureEvents } from './events/run.ts';
import { failuresOfEvents, summariseEvents } from './events/summary.ts';
import {
  type Instances,
  startEdgeInstances,
  startEventInstances,
  startPostgresInstances,
  startSqliteInstances,
} from './instances.ts';
import { print } from './print.ts';
import { torture } from './run.ts';
import { failuresOf, summarise, total } from './summary.ts';

const { values, positionals } = readArguments({
  allowPositionals: true,
  options: {
    seconds: { type: 'string' },
    /** With PostgreSQL, the store itself is interrupted during the run. */
    store: { type: 'string', default: 'sqlite' },
    /** Two instances and three edges; edges, their upstreams and the way between them are disturbed. */
    edges: { type: 'string' },
    /** Two of the three instances on PostgreSQL share its sessions through a PgBouncer. */
    pooler: { type: 'boolean', default: false },
    /** VERIFY_LEASE_MS of all instances. */
    lease: { type: 'string' },
    /** Gets the history, for `npm run prove -- check-history`. */
    history: { type: 'string' },
    /** Of events: how many changes are made. */
    changes: { type: 'string', default: '5000' },
    write: { type: 'boolean', default: false },
  },
});
const [what = 'verdicts'] = positionals;
requireOneOf('the argument, unless it is absent', what, ['verdicts', 'events']);
requireOneOf('--store', values.store, ['sqlite', 'postgresql']);
const onPostgres = values.store === 'postgresql';
if (values.edges !== undefined && (values.edges !== '3' || !onPostgres))
  rejectArguments('--edges: expected 3, with --store postgresql');
if (values.pooler && (!onPostgres || values.edges !== undefined))
  rejectArguments('--pooler: only with --store postgresql, without --edges');
const leaseMs = readNumber('--lease', values.lease ?? '0');
const changes = readNumber('--changes', values.changes, 1);
// All changes are of one team, and each lifted fence costs many of its budget.
const budget = { TEAM_CHANGES_PER_HOUR: '1000000' };
const environment = values.lease === undefined ? budget : { ...budget, VERIFY_LEASE_MS: values.lease };
const seconds = Math.min(600, readNumber('--seconds', values.seconds ?? (onPostgres ? '120' : '90')));
const taken = values.write ? takenNow([what === 'events' ? 'torture-events' : 'torture']) : null;
const run = `\`${
  process.argv
    .slice(2)
    .filter((arg) => arg !== '--write')
    .join(' ') || 'no options'
}\``;

if (what === 'events') await events();
else await verdicts();

async function verdicts(): Promise<void> {
  const instances = await start();
  progress(`keys are changed and verified for ${seconds} s`);
  const demands = { changes: 2000, close: 10_000, telling: 2000, faultKinds: onPostgres ? 6 : 0 };
  try {
    const history = await torture(instances, {
      seconds,
      keys: 48,
      changers: 8,
      pauseMs: 30,
      stops: { count: Math.floor(seconds / 8), minMs: 1000, maxMs: 3000 },
      faults: instances.network === null ? 0 : Math.floor(seconds / 4.5),
      leaseMs,
    });
    if (values.history !== undefined) await writeHistory(values.history, history.header, history.events);
    const summary = summarise(history);
    print(summary);
    const { verifications, close, violations } = summary;
    if (taken !== null)
      writeRow('torture', taken, [run, total(summary.changes), verifications, close, violations.length]);
    printFailures(failuresOf(summary, demands).slice(0, 10));
  } finally {
    await instances.stop();
  }
}

async function start(): Promise<Instances> {
  if (values.edges !== undefined) return await startEdgeInstances(environment);
  return await (onPostgres ? startPostgresInstances(environment, values.pooler) : startSqliteInstances(environment));
}

/** The schedule of retries is the real one: receivers fail first attempts, and what waits for minutes is enabled again. */
async function events(): Promise<void> {
  const instances = await startEventInstances(onPostgres);
  progress(`${changes} changes of keys, whose events are delivered`);
  const interruptions = Math.max(1, Math.floor(changes / 400));
  try {
    const plan = { changes, teams: 3, changersPerTeam: 4, keysPerTeam: 24, pauseMs: 300, interruptions, progress };
    const summary = await summariseEvents(await tortureEvents(instances, plan));
    printEvents(summary);
    const { revokes, signatures, repeated, findings } = summary;
    const disturbed = revokes.disturbed.map(({ latencies }) => latencies.maxMs);
    const latencies = [revokes.calm.medianMs, revokes.calm.maxMs, Math.max(0, ...disturbed)].map(
      (ms) => `${ms.toFixed(0)} ms`,
    );
    const cells = [run, total(summary.changes), signatures, repeated, ...latencies, findings.length];
    if (taken !== null) writeRow('torture-events', taken, cells);
    printFailures(failuresOfEvents(summary, { changes, interruptions, revokeMs: 2000 }).slice(0, 10));
  } finally {
    await instances.stop();
  }
}
