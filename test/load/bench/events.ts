/**
 * Verification and management while 100 endpoints get 200 events per second together, compared with the same calls while
 * the same changes are made in teams without endpoints.
 */

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '../../harness/client.ts';
import { progress } from '../../harness/print.ts';
import { Server } from '../../harness/server.ts';
import { median } from '../../harness/statistics.ts';
import { makeKey } from '../../support/calls.ts';
import { both, sessionToken } from '../../support/service.ts';
import { temporaryDirectory } from '../../support/temporary-database.ts';
import { atRate } from '../at-rate.ts';
import { rawRequest } from '../raw-connection.ts';
import { startScript } from '../script.ts';
import { measure } from './compare.ts';
import { loadCreates } from './create.ts';
import { costOfChange, costOfOutcomes, costOfRevokes } from './event-costs.ts';
import { addEndpoints, createKeys, endpointsPerTeam, makeTeam, revokeAll, type Team } from './event-teams.ts';
import { type Bench, type Figure, medianRatio } from './figures.ts';
import { usualCall } from './verify.ts';

const rounds = 7;
const seconds = 3;
const [teamCount, eventsPerSecond] = [5, 200];
const changesPerSecond = eventsPerSecond / endpointsPerTeam;
const verifyConnections = 32;
const revokes = 400;
const connections = 16;

type Rates = Record<'verify' | 'create' | 'list' | 'revoke', number>;

export const events: Bench = async () => {
  const environment = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', MAX_KEYS_PER_TEAM: '20000' };
  const { path: directory } = temporaryDirectory();
  const server = await Server.startService({ directory, environment });
  const receivers = await startScript(['test/load/bench/event-receivers.ts']);
  const receiver = `http://127.0.0.1:${receivers.printed}`;
  const makeTeams = async () => {
    const teams: Team[] = [];
    for (let i = 0; i < teamCount; i += 1) teams.push(await makeTeam(server));
    return teams;
  };
  const [silent, subscribed] = [await makeTeams(), await makeTeams()];
  for (const team of subscribed) await addEndpoints(server, team, receiver);
  const { request } = await usualCall(server, await makeKey(server));
  const round = async (teams: readonly Team[]): Promise<{ readonly rates: Rates; readonly delivered: number }> => {
    const changes = await startChanges(server, teams);
    const [before, startedAt] = [await arrived(receiver), performance.now()];
    const rates = await takeRates(server, request);
    const delivered = ((await arrived(receiver)) - before) / ((performance.now() - startedAt) / 1000);
    await changes.stop();
    // What is still under way must not disturb the floor.
    await pause(1000);
    return { rates, delivered };
  };
  progress('events, warming up');
  await round(subscribed);
  const [floors, values, deliveries]: [Rates[], Rates[], number[]] = [[], [], []];
  for (let i = 1; i <= rounds; i += 1) {
    progress(`events, round ${i} of ${rounds}`);
    floors.push((await round(silent)).rates);
    const { rates, delivered } = await round(subscribed);
    values.push(rates);
    deliveries.push(delivered);
  }
  const costs = [
    await costOfChange(server, receiver),
    await costOfOutcomes(server, directory, request),
    await costOfRevokes(server, receiver),
  ];
  await server.stop();
  await receivers.stop();
  const figure = (name: string, field: keyof Rates, atLeast: number): Figure => {
    const of = (all: readonly Rates[]) => all.map((rates) => rates[field]);
    return {
      name,
      floor: `${median(of(floors)).toFixed(0)}/s without deliveries`,
      value: `${median(of(values)).toFixed(0)}/s`,
      result: medianRatio(of(values), of(floors)),
      atLeast,
    };
  };
  return [
    figure('warm verify', 'verify', 0.9),
    figure('POST /v1/keys', 'create', 0.9),
    figure('GET /v1/keys', 'list', 0.9),
    figure('DELETE /v1/keys/{id}', 'revoke', 0.9),
    {
      name: 'events delivered meanwhile',
      floor: `${eventsPerSecond}/s wanted`,
      value: `${median(deliveries).toFixed(0)}/s`,
      result: median(deliveries) / eventsPerSecond,
      atLeast: 0.95,
    },
    ...costs,
  ];
};

/** Renames keys of these teams in turns at a fixed rate. */
async function startChanges({ port }: Server, teams: readonly Team[]) {
  const [client, stopping] = [new Client(port, { connections }), new AbortController()];
  let changes = 0;
  const running = atRate(
    changesPerSecond,
    () => {
      changes += 1;
      const team = teams[changes % teams.length];
      if (team === undefined) return;
      const id = team.keys[Math.floor(changes / teams.length) % team.keys.length];
      const body = JSON.stringify({ name: `Key ${randomUUID()}` });
      void client.call({ method: 'PATCH', path: `/v1/keys/${id}`, token: team.token, body });
    },
    stopping.signal,
  );
  // So that deliveries have begun.
  await pause(1000);
  return {
    stop: async () => {
      stopping.abort();
      await running;
      client.close();
    },
  };
}

async function arrived(receiver: string): Promise<number> {
  return Number(await (await fetch(receiver)).text());
}

async function takeRates(server: Server, verifyRequest: string): Promise<Rates> {
  const team = randomUUID();
  const owner = { id: team, token: sessionToken({ [team]: both }) };
  const ids = await createKeys(server, owner, revokes);
  const list = rawRequest({ method: 'GET', path: `/v1/keys?teamId=${team}&limit=50`, token: owner.token });
  const verifying = { requests: [verifyRequest], connections: verifyConnections };
  return {
    verify: (await measure(server.verifyUrl, verifying, seconds)).perSecond,
    create: await loadCreates(server, 'rest', seconds),
    list: (await measure(server.url, { requests: [list], connections: 4 }, seconds)).perSecond,
    revoke: await revokeAll(server, owner.token, ids),
  };
}
