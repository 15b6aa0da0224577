/** One run: teams whose keys change, endpoints that are healthy or troubled, readers, and instances that are killed. */
import { setTimeout as pause } from 'node:timers/promises';
import { random } from '../../../harness/random.ts';
import { sum } from '../../../harness/statistics.ts';
import { KeyClient } from '../../clients.ts';
import { Ledger } from '../../ledger.ts';
import type { EventInstances } from '../instances.ts';
import { aloneOptions } from '../run.ts';
import { timed } from '../summary.ts';
import { expectedAt } from './checker.ts';
import { type Endpoint, EventTeam } from './endpoints.ts';
import type { LoggedEvent } from './history.ts';
import { readLog } from './log.ts';
import { EventReader } from './readers.ts';

interface EventPlan {
  /** How many changes are answered before the run ends. */
  readonly changes: number;
  readonly teams: number;
  readonly changersPerTeam: number;
  readonly keysPerTeam: number;
  /** On average, between two changes of one changer. */
  readonly pauseMs: number;
  /** How many instances are killed or PostgreSQL is restarted, spread over the run. */
  readonly interruptions: number;
  /** Gets what the run does now. */
  readonly progress?: (text: string) => void;
}

export interface Interruption {
  readonly kind: string;
  readonly began: number;
  /** When the killed instance, or PostgreSQL and all instances, were ready again. */
  readonly returned: number;
}

export type EventRun = Awaited<ReturnType<typeof tortureEvents>>;

/** How long everything may take to arrive when nothing is disturbed anymore. */
const settleTimeoutMs = 180_000;
const nudgeIntervalMs = 10_000;
const replayed = 50;

export async function tortureEvents(instances: EventInstances, plan: EventPlan) {
  const { progress = () => undefined } = plan;
  const killed = new Set<string>();
  const ports = instances.all.map(({ name, port }) => ({ at: name, port, isStopped: () => killed.has(name) }));
  const teams: EventTeam[] = [];
  const ledgers: Ledger[] = [];
  const changers: KeyClient[] = [];
  const readers: EventReader[] = [];
  const started = performance.now();
  for (let i = 1; i <= plan.teams; i += 1) {
    const ledger = new Ledger(random);
    const team = new EventTeam(`team ${i}`, ledger.teamId, ports);
    teams.push(team);
    ledgers.push(ledger);
    await team.createEndpoints();
    const { keysPerTeam: keys, pauseMs } = plan;
    const options = { ...aloneOptions, ledger, ports, keys, pauseMs, outages: plan.interruptions > 0 };
    for (let n = 0; n < plan.changersPerTeam; n += 1) changers.push(new KeyClient(options));
    for (const reader of ['a reader', 'another reader']) {
      readers.push(new EventReader(`${team.name}, ${reader}`, team.teamId, team.token, ports));
    }
  }
  const answeredChanges = () =>
    sum(ledgers.map(({ changes }) => changes.filter(({ answer }) => answer !== null).length));
  const reading = readers.map((reader) => reader.run());
  const changing = changers.map((changer) => changer.run());
  const state = { isOver: false };
  const caring = teams.map((team) => enableGoneEndpoints(team, state));
  const interruptions: Interruption[] = [];
  for (let turn = 1; answeredChanges() < plan.changes || turn <= plan.interruptions; ) {
    await pause(100);
    if (turn > plan.interruptions || answeredChanges() < (plan.changes * turn) / (plan.interruptions + 1)) continue;
    progress(`${answeredChanges()} changes`);
    for (const team of teams) await trouble(team, turn);
    interruptions.push(await interrupt(instances, killed, turn));
    turn += 1;
  }
  for (const changer of changers) changer.stop();
  await Promise.all(changing);
  const changedMs = performance.now() - started;
  progress(`${answeredChanges()} changes; waiting until all events have arrived`);
  for (const { receiver } of teams.flatMap(({ endpoints }) => endpoints)) await receiver.accept();
  await settle(teams, progress);
  const [first] = teams;
  if (first !== undefined) await replayAtHealthy(first);
  const due = new Map<string, number>();
  for (const { teamId, client, token } of teams) due.set(teamId, (await readLog(client, token, teamId)).length);
  await settle(teams, progress);
  await readToEnd(readers, due);
  state.isOver = true;
  await Promise.all(caring);
  for (const reader of readers) reader.stop();
  await Promise.all(reading);
  const endpoints = teams.flatMap((team) => team.endpoints.map((one) => ({ ...one, arrivals: [...one.arrivals] })));
  // Last, so that it has all that arrived.
  const logs = new Map<string, readonly LoggedEvent[]>();
  for (const { teamId, client, token } of teams) logs.set(teamId, await readLog(client, token, teamId));
  const dead = instances.all.filter(({ isAlive }) => !isAlive);
  for (const team of teams) await team.close();
  return {
    seconds: (performance.now() - started) / 1000,
    changedSeconds: changedMs / 1000,
    teams: ledgers.map((ledger) => ({
      ledger,
      changes: ledger.changes,
      log: logs.get(ledger.teamId) ?? [],
      /** How many entries of the log must have arrived everywhere. */
      due: due.get(ledger.teamId) ?? 0,
      endpoints: endpoints.filter((endpoint) => endpoint.teamId === ledger.teamId),
      readers: readers.filter((reader) => reader.teamId === ledger.teamId),
    })),
    interruptions,
    calls: ledgers.flatMap(({ operations }) => [...operations.values()].flatMap(timed)),
    strange: [
      ...ledgers.flatMap(({ strange }) => strange),
      ...dead.map(({ name }) => `a process of ${name} has ended`),
    ],
  };
}

/** Some endpoints refuse connections for a while, and one gets another secret. */
async function trouble(team: EventTeam, turn: number): Promise<void> {
  for (const { kind, receiver } of team.endpoints) {
    if (kind !== 'restarts') continue;
    await receiver.refuse();
    setTimeout(() => void receiver.accept(), random.between(500, 4000));
  }
  const healthy = team.endpoints.find(({ kind }) => kind === 'healthy');
  if (turn % 3 === 1 && healthy !== undefined) await team.rotateSecret(healthy);
}

async function interrupt({ all, postgres }: EventInstances, killed: Set<string>, turn: number): Promise<Interruption> {
  const isRestart = postgres !== null && turn % 3 === 0;
  const began = performance.now();
  if (isRestart) {
    await postgres.restartImmediately();
    await Promise.all(all.map((server) => server.ready()));
    return { kind: 'PostgreSQL restarted', began, returned: performance.now() };
  }
  const killsBefore = turn - 1 - (postgres === null ? 0 : Math.floor((turn - 1) / 3));
  const server = all[killsBefore % all.length];
  if (server === undefined) throw new Error('there is no instance');
  killed.add(server.name);
  await server.kill();
  // Longer than another instance takes to notice it, or so short that none does.
  await pause(random.pick([0, 3000]));
  await server.start();
  killed.delete(server.name);
  return { kind: `${server.name} killed`, began, returned: performance.now() };
}

/** As a person would do when told that an endpoint was disabled because it answered 410. */
async function enableGoneEndpoints(team: EventTeam, state: { readonly isOver: boolean }): Promise<void> {
  while (!state.isOver) {
    await pause(random.between(1000, 3000));
    const reasons = await team.disabledReasons();
    for (const endpoint of team.endpoints) {
      if (reasons.get(endpoint.webhookId) === 'GONE') await team.setEnabled(endpoint, true);
    }
  }
}

/** Waits until each endpoint has accepted all events, and makes due again what waits for a late attempt. */
async function settle(teams: readonly EventTeam[], progress: (text: string) => void): Promise<void> {
  const deadline = performance.now() + settleTimeoutMs;
  let nextNudge = performance.now() + nudgeIntervalMs;
  for (;;) {
    const behind: { readonly team: EventTeam; readonly endpoint: Endpoint }[] = [];
    for (const team of teams) {
      const log = await readLog(team.client, team.token, team.teamId);
      behind.push(...team.endpoints.filter((one) => isBehind(one, log)).map((endpoint) => ({ team, endpoint })));
    }
    if (behind.length === 0 || performance.now() > deadline) return;
    if (performance.now() > nextNudge) {
      progress(`enabling again: ${behind.map(({ endpoint }) => endpoint.name).join('; ')}`);
      for (const { team, endpoint } of behind) await team.nudge(endpoint);
      nextNudge = performance.now() + nudgeIntervalMs;
    }
    await pause(1000);
  }
}

function isBehind(endpoint: Endpoint, log: readonly LoggedEvent[]): boolean {
  const accepted = new Set(endpoint.arrivals.filter(({ acceptedAt }) => acceptedAt !== null).map(({ id }) => id));
  return expectedAt(endpoint, log).some(({ id }) => !accepted.has(id));
}

/** So that some events are repeated for certain. */
async function replayAtHealthy(team: EventTeam): Promise<void> {
  const healthy = team.endpoints.find(({ kind }) => kind === 'healthy');
  if (healthy === undefined) return;
  const before = healthy.arrivals.length;
  const ids = [...new Set(healthy.arrivals.map(({ id }) => id))].slice(0, replayed);
  await team.replay(healthy, ids);
  const deadline = performance.now() + settleTimeoutMs;
  const missing = () => {
    const again = new Set(healthy.arrivals.slice(before).map(({ id }) => id));
    return ids.some((id) => !again.has(id));
  };
  while (missing() && performance.now() < deadline) await pause(100);
  if (missing()) throw new Error('events that were replayed have not arrived');
}

async function readToEnd(readers: readonly EventReader[], due: ReadonlyMap<string, number>): Promise<void> {
  const deadline = performance.now() + settleTimeoutMs;
  const isBehindEnd = ({ teamId, events }: EventReader) => events.length < (due.get(teamId) ?? 0);
  while (readers.some(isBehindEnd) && performance.now() < deadline) await pause(100);
}
