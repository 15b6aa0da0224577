/** What is measured at both databases in turn. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Permission } from '../../../../src/domain/key/permission.ts';
import { dayMs } from '../../../../src/domain/moment.ts';
import { importing, sessionToken } from '../../../support/service.ts';
import type { Call } from '../../client.ts';
import { rawRequest } from '../../raw-connection.ts';
import { median } from '../../statistics.ts';
import { measure } from '../compare.ts';
import { keyId, type Team } from './population.ts';
import { ageDays, purgeableDays, purgeRounds } from './seed.ts';
import { type Side, take } from './side.ts';

export interface Operation {
  readonly name: string;
  readonly unit: 'ms' | 'per second';
  /** Default: those of the program. */
  readonly rounds?: number;
  /** Returns the figure of one round. */
  readonly run: (side: Side, round: number) => Promise<number>;
  /** The target: at most so many times the figure of the smaller database. */
  readonly atMost?: number;
}

const seconds = 2;
const callsPerRound = 100;
/** Like the benchmark of pages in a database of 1,000,000 keys. */
const listedTeams = 200;

/** `largestTeam`: the size of the largest team that both databases have. */
export function operationsFor(largestTeam: number): readonly Operation[] {
  const large = ({ population }: Side) => population.teamOfSize(largestTeam);
  return [
    { name: 'start to /readyz', unit: 'ms', run: restart },
    { name: 'verify by Zipf, empty cache', unit: 'per second', rounds: 3, run: verifyCold },
    { name: 'verify by Zipf', unit: 'per second', run: verifyWarm },
    { name: 'page of 50, 200 teams in turn', unit: 'ms', run: pagesInTurn, atMost: 1.3 },
    { name: 'page of 50, each team once', unit: 'ms', run: pagesOnce },
    { name: 'page of 50 in the middle of the largest team', unit: 'ms', run: (side) => deepPage(side, large(side)) },
    { name: 'page of 50 by name', unit: 'ms', run: (side) => orderedPage(side, 'NAME') },
    { name: 'page of 50 by expiry', unit: 'ms', run: (side) => orderedPage(side, 'EXPIRES_AT') },
    { name: 'search of the largest team', unit: 'ms', run: (side) => search(side, large(side)) },
    { name: 'GET /v1/keys/{id}', unit: 'ms', run: readKeys },
    { name: 'audit trail of a key', unit: 'ms', run: readTrails },
    { name: 'POST /v1/keys', unit: 'ms', run: createKeys },
    { name: 'DELETE /v1/keys/{id}', unit: 'ms', run: revokeKeys, atMost: 1.3 },
    { name: 'import of 1,000 keys', unit: 'ms', run: importKeys },
    { name: 'page of the daily walk for unused keys', unit: 'ms', run: walk },
    { name: 'keys that expire within an hour', unit: 'ms', run: expiring },
    { name: 'page of signing secrets to rewrap', unit: 'ms', rounds: 1, run: sealed },
    { name: 'keys per pepper (a start without an old one)', unit: 'ms', rounds: 1, run: ringUse },
    { name: 'purge of usage', unit: 'ms', rounds: purgeRounds, run: purgeUsage },
    { name: 'purge of audit entries', unit: 'ms', rounds: purgeRounds, run: purgeAudit },
    { name: 'purge of revoked keys', unit: 'ms', rounds: purgeRounds, run: purgeKeys },
    { name: 'purge without anything to remove', unit: 'ms', run: purgeNothing },
  ];
}

async function restart({ server }: Side): Promise<number> {
  await server.stop();
  server.spawn();
  return await server.ready();
}

async function verifyCold(side: Side): Promise<number> {
  await restart(side);
  return await verify(side);
}

async function verifyWarm(side: Side, round: number): Promise<number> {
  if (round === 0) for (let i = 0; i < 5; i += 1) await verify(side);
  return await verify(side);
}

const requestsPerRound = 100_000;

async function verify(side: Side): Promise<number> {
  const { verifications, server } = side;
  const [first = 0] = take(side, 'verification', requestsPerRound);
  const start = first % verifications.length;
  const requests = verifications.slice(start, start + requestsPerRound);
  return (await measure(server.verifyUrl, { requests, connections: 32 }, seconds)).perSecond;
}

async function pagesInTurn(side: Side, round: number): Promise<number> {
  const requests = side.population.teamsBetween(100, 1000, listedTeams).map((team) => rawRequest(pageCall(team)));
  const run = async () => 1000 / (await measure(side.server.url, { requests, connections: 1 }, seconds)).perSecond;
  if (round === 0) await run();
  return await run();
}

async function pagesOnce(side: Side): Promise<number> {
  const teams = side.population.teamsBetween(30, 90, 1000);
  return await medianOfCalls(
    side,
    take(side, 'page', callsPerRound).map((i) => pageCall(teams[i % teams.length] as Team)),
  );
}

async function deepPage(side: Side, team: Team): Promise<number> {
  let after: string | null = null;
  for (let read = 0; read < team.size / 2; read += 500) after = await endCursor(side, team, after);
  return await medianOfCalls(
    side,
    Array.from({ length: callsPerRound }, () => pageCall(team, { after })),
  );
}

async function endCursor(side: Side, team: Team, after: string | null): Promise<string> {
  const { keys } = await data(side, pageCall(team, { after, first: 500 }));
  return keys.pageInfo.endCursor;
}

async function orderedPage(side: Side, field: 'NAME' | 'EXPIRES_AT'): Promise<number> {
  const teams = side.population.teamsBetween(100, 1000, callsPerRound);
  return await medianOfCalls(
    side,
    teams.map((team) => pageCall(team, { orderBy: { field, direction: 'ASC' } })),
  );
}

/** Finds one key, so that all keys of the team are compared. */
async function search(side: Side, team: Team): Promise<number> {
  const calls = take(side, 'search', callsPerRound / 5).map((i) => {
    const key = side.population.keyOf(team, (i * 37) % team.size);
    return pageCall(team, { filter: { search: ` ${key}` } });
  });
  return await medianOfCalls(side, calls);
}

async function readKeys(side: Side): Promise<number> {
  const calls = someKeys(side).map(({ id, team }) => ({
    method: 'GET',
    path: `/v1/keys/${id}`,
    token: tokenOf(team.id),
  }));
  return await medianOfCalls(side, calls);
}

async function readTrails(side: Side): Promise<number> {
  const query = `query ($teamId: UUID!, $keyId: UUID!) {
    auditLog(teamId: $teamId, keyId: $keyId, first: 20) { nodes { action at } }
  }`;
  const calls = someKeys(side).map(({ id, team }) => graphqlCall(team.id, query, { teamId: team.id, keyId: id }));
  return await medianOfCalls(side, calls);
}

async function createKeys(side: Side): Promise<number> {
  const teams = side.population.teamsBetween(100, 1000, callsPerRound);
  const calls = teams.map(({ id }) => {
    const body = JSON.stringify({ teamId: id, name: 'A new key', env: 'live' });
    return { method: 'POST', path: '/v1/keys', token: tokenOf(id), body };
  });
  return await medianOfCalls(side, calls);
}

async function revokeKeys(side: Side): Promise<number> {
  const calls = someKeys(side).map(({ id, team }) => ({
    method: 'DELETE',
    path: `/v1/keys/${id}`,
    token: tokenOf(team.id),
  }));
  return await medianOfCalls(side, calls);
}

async function importKeys(side: Side): Promise<number> {
  const query = `mutation ($teamId: UUID!, $keys: [ImportKeyInput!]!) {
    importKeys(teamId: $teamId, keys: $keys) { results { outcome } }
  }`;
  const teamId = randomUUID();
  const startedAt = performance.now();
  for (let call = 0; call < 5; call += 1) {
    const keys = Array.from({ length: 200 }, (_, i) => {
      return { name: `Imported ${call} ${i}`, env: 'live', digest: randomBytes(32).toString('hex') };
    });
    const { importKeys: imported } = await data(side, graphqlCall(teamId, query, { teamId, keys }));
    const isImported = ({ outcome }: { readonly outcome: string }) => outcome === 'IMPORTED';
    if (!imported.results.every(isImported)) throw new Error('a key was not imported');
  }
  return performance.now() - startedAt;
}

async function walk({ store }: Side): Promise<number> {
  return await timed(() => store.keyMoments.uses(randomUUID(), 200));
}

async function expiring({ store, now }: Side): Promise<number> {
  const at = (days: number) => new Date(now.getTime() + days * dayMs);
  const range = {
    moment: 'expiry',
    after: { at: at(30), keyId: null },
    until: at(30 + 1 / 24),
    limit: 200,
  } as const;
  return await timed(() => store.keyMoments.list(range));
}

/** No key of the population has a signing secret. */
async function sealed({ store }: Side): Promise<number> {
  return await timed(() => store.keys.sealed(null, 100));
}

async function ringUse({ store }: Side): Promise<number> {
  return await timed(() => store.ringUse('pepper'));
}

async function purgeUsage({ store, now }: Side, round: number): Promise<number> {
  return await timed(() => store.purge.usageHours(purgedBefore(now, round)));
}

async function purgeAudit({ store, now, population: { keys, purgeable } }: Side, round: number): Promise<number> {
  const createdUntil = (ageDays * dayMs * (purgeable * (round + 1))) / purgeRounds / keys;
  const before = new Date(now.getTime() - ageDays * dayMs + createdUntil);
  return await timed(() => store.purge.auditEntries(before, false));
}

async function purgeKeys({ store, now }: Side, round: number): Promise<number> {
  return await timed(() => store.purge.revokedKeys(purgedBefore(now, round)));
}

/** What remains are the imported keys that were revoked long ago, which are kept. */
async function purgeNothing({ store, now }: Side): Promise<number> {
  return await timed(() => store.purge.revokedKeys(purgedBefore(now, purgeRounds)));
}

/** The oldest are removed in round 0. */
function purgedBefore(now: Date, round: number): Date {
  return new Date(now.getTime() - (purgeableDays + purgeRounds - 1.5 - round) * dayMs);
}

/** Keys that are accepted, each once, and seldom drawn for verifications. */
function someKeys(side: Side) {
  const { population } = side;
  return take(side, 'key', callsPerRound).map((i) => {
    const key = population.plainKey(population.plainKeys - 1 - i);
    return { id: keyId(key), team: population.teamOf(key) };
  });
}

const pageQuery = `query ($teamId: UUID!, $first: Int!, $after: String, $filter: KeyFilter, $orderBy: KeyOrder) {
  keys(teamId: $teamId, first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
    nodes { id name env prefix lastUsedAt createdAt } pageInfo { hasNextPage endCursor }
  }
}`;

function pageCall({ id: teamId }: Team, more: object = {}): CallWithBody {
  return graphqlCall(teamId, pageQuery, { teamId, first: 50, ...more });
}

type CallWithBody = Call & { readonly body: string; readonly token: string };

function graphqlCall(teamId: string, query: string, variables: object): CallWithBody {
  const body = JSON.stringify({ query, variables });
  return { method: 'POST', path: '/graphql', token: tokenOf(teamId), body };
}

const permissions: readonly Permission[] = importing;

function tokenOf(teamId: string): string {
  return sessionToken({ [teamId]: permissions });
}

async function medianOfCalls(side: Side, calls: readonly Call[]): Promise<number> {
  const latencies: number[] = [];
  for (const call of calls) {
    const { started, ended } = await answer(side, call);
    latencies.push(ended - started);
  }
  return median(latencies);
}

async function answer({ client }: Side, call: Call) {
  const reply = await client.call(call);
  if (reply === null || reply.status >= 300 || /"errors":\[/.test(reply.text))
    throw new Error(`${call.method} ${call.path}: ${reply?.status} ${reply?.text.slice(0, 500)}`);
  return reply;
}

/** The data of a GraphQL answer. */
async function data(side: Side, call: Call): Promise<ReturnType<typeof JSON.parse>> {
  return JSON.parse((await answer(side, call)).text).data;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
