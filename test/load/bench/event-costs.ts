/** What endpoints cost those who have none, and what the outcomes of attempts cost verification. */

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '../../harness/client.ts';
import { progress } from '../../harness/print.ts';
import type { Server } from '../../harness/server.ts';
import { median } from '../../harness/statistics.ts';
import { rest } from '../../support/service.ts';
import { atRate } from '../at-rate.ts';
import { startScript } from '../script.ts';
import { measure } from './compare.ts';
import { addEndpoints, createKeys, makeTeam, revokeAll, type Team } from './event-teams.ts';
import { type Figure, medianRatio } from './figures.ts';

const rounds = 5;
const seconds = 5;
const probesPerSecond = 10;
/** So few that the events of the last change have been delivered before the next one. */
const renamesPerSecond = 4;
const revokes = 10_000;
const verifyConnections = 32;

/** The median time of a change in a team with 20 endpoints that get it, and in one without. */
export async function costOfChange(server: Server, receiver: string): Promise<Figure> {
  const [without, having] = [await makeTeam(server), await makeTeam(server)];
  await addEndpoints(server, having, receiver);
  const [floors, values]: [number[], number[]] = [[], []];
  for (let round = 1; round <= rounds; round += 1) {
    progress(`the time of a change, round ${round} of ${rounds}`);
    floors.push(median(await renames(server, without)));
    values.push(median(await renames(server, having)));
  }
  return {
    name: 'a change, p50, with 20 endpoints',
    floor: `${median(floors).toFixed(1)} ms without endpoints`,
    value: `${median(values).toFixed(1)} ms`,
    result: medianRatio(values, floors),
    atMost: 1.1,
  };
}

/** By how much the revocation of 10,000 keys of a team moves another team's revoke, with and without 20 endpoints. */
export async function costOfRevokes(server: Server, receiver: string): Promise<Figure> {
  const round = async (endpoints: boolean) => {
    progress(`10,000 revokes ${endpoints ? 'with' : 'without'} endpoints`);
    const [revoking, other] = [await makeTeam(server), await makeTeam(server)];
    const ids = await createKeys(server, revoking, revokes);
    const others = await createKeys(server, other, 1000);
    if (endpoints) await addEndpoints(server, revoking, receiver);
    const revoked = revokeAll(server, revoking.token, ids);
    const next = others.values();
    const times = await probe(server, { team: other, perSecond: probesPerSecond, until: revoked }, () => {
      return { method: 'DELETE', path: `/v1/keys/${next.next().value}` };
    });
    return median(times);
  };
  const [floors, values]: [number[], number[]] = [[], []];
  for (let i = 0; i < rounds; i += 1) {
    floors.push(await round(false));
    values.push(await round(true));
  }
  return {
    name: "another team's revoke, p50, during 10,000",
    floor: `${median(floors).toFixed(1)} ms without endpoints`,
    value: `${median(values).toFixed(1)} ms`,
    result: median(values.map((value, i) => value - (floors[i] ?? Number.NaN))),
    atMost: 10,
    unit: ' ms more',
  };
}

/** Verification while the outcomes of 500 attempts a second are written. */
export async function costOfOutcomes(server: Server, directory: string, verifyRequest: string): Promise<Figure> {
  const team = await makeTeam(server);
  const created = await rest(server.url, team.token, 'POST', '/v1/webhooks', {
    teamId: team.id,
    url: 'https://127.0.0.1/',
    types: ['key.created'],
  });
  const { id } = created.body;
  await rest(server.url, team.token, 'PATCH', `/v1/webhooks/${id}`, { enabled: false });
  const load = { requests: [verifyRequest], connections: verifyConnections };
  const [floors, values]: [number[], number[]] = [[], []];
  for (let round = 1; round <= rounds; round += 1) {
    progress(`outcomes, round ${round} of ${rounds}`);
    floors.push((await measure(server.verifyUrl, load, seconds)).perSecond);
    const settling = await startScript(['test/load/bench/settle-deliveries.ts', join(directory, 'latchkey.db'), id]);
    await pause(1000);
    values.push((await measure(server.verifyUrl, load, seconds)).perSecond);
    await settling.stop();
  }
  return {
    name: 'warm verify, 500 outcomes written per second',
    floor: `${median(floors).toFixed(0)}/s without`,
    value: `${median(values).toFixed(0)}/s`,
    result: medianRatio(values, floors),
    atLeast: 0.95,
  };
}

async function renames(server: Server, team: Team): Promise<number[]> {
  let calls = 0;
  return await probe(server, { team, perSecond: renamesPerSecond, until: pause(seconds * 1000) }, () => {
    calls += 1;
    const body = JSON.stringify({ name: `Key ${randomUUID()}` });
    return { method: 'PATCH', path: `/v1/keys/${team.keys[calls % team.keys.length]}`, body };
  });
}

interface Probe {
  readonly team: Team;
  readonly perSecond: number;
  readonly until: Promise<unknown>;
}

/** Makes calls at a fixed rate. Returns how long each took. */
async function probe(
  { port }: Server,
  { team: { token }, perSecond, until }: Probe,
  next: () => Parameters<Client['call']>[0],
): Promise<number[]> {
  const [client, stopping, times] = [new Client(port, { connections: 4 }), new AbortController(), [] as number[]];
  const calls: Promise<void>[] = [];
  const call = async () => {
    const reply = await client.call({ ...next(), token });
    if (reply?.status !== 200) throw new Error(`a change was not made: ${reply?.status}`);
    times.push(reply.ended - reply.started);
  };
  const running = atRate(perSecond, () => calls.push(call()), stopping.signal);
  await until;
  stopping.abort();
  await running;
  await Promise.all(calls);
  client.close();
  return times;
}
