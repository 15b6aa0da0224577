/**
 * Management reads: a page of 50 keys over GraphQL and over REST, beside peers on the same database. Those that do the same
 * work (same-work.ts) are the target. The plain ones, without authentication, are for comparison.
 */
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { progress } from '../../../harness/print.ts';
import { Server } from '../../../harness/server.ts';
import { median } from '../../../harness/statistics.ts';
import { freePort } from '../../../support/free-port.ts';
import { cpuSeconds } from '../../../support/processes.ts';
import { seedKeys } from '../../../support/seed-keys.ts';
import { jwtSecret, sessionToken } from '../../../support/service.ts';
import { temporaryDirectory } from '../../../support/temporary-database.ts';
import { type RawAnswer, RawConnection, rawRequest } from '../../raw-connection.ts';
import { startScript } from '../../script.ts';
import { measure } from '../compare.ts';
import { type Bench, type Figure, medianRatio } from '../figures.ts';

const [rounds, seconds, connections] = [7, 2, 8];
const [teamCount, keysPerTeam] = [10, 1000];

const query = `query ($teamId: ID!) {
  keys(teamId: $teamId, first: 50) {
    totalCount nodes { id name env prefix lastUsedAt createdAt } pageInfo { hasNextPage endCursor }
  }
}`;

interface Side {
  readonly url: string;
  readonly pid: number;
  readonly requests: readonly string[];
  readonly rates: number[];
  readonly cpuMs: number[];
}

export const reads: Bench = async () => {
  // As in deployments, for all sides.
  process.env.NODE_ENV = 'production';
  const directory = temporaryDirectory().path;
  const teams = await seedKeys(directory, teamCount * keysPerTeam, keysPerTeam);
  useKeys(directory);
  const server = await Server.startService({ directory });
  const tokens = teams.map((teamId) => ({ teamId, token: sessionToken({ [teamId]: ['view_team'] }) }));
  const overGraphQL = (document: string) =>
    tokens.map(({ teamId, token }) =>
      rawRequest({ method: 'POST', path: '/graphql', token, body: { query: document, variables: { teamId } } }),
    );
  const overRest = tokens.map(({ teamId, token }) =>
    rawRequest({ method: 'GET', path: `/v1/keys?teamId=${teamId}&limit=50`, token }),
  );
  const scripts: (() => Promise<void>)[] = [];
  const side = (url: string, pid: number, requests: readonly string[]): Side => {
    return { url, pid, requests, rates: [], cpuMs: [] };
  };
  const floor = async (name: string, requests: readonly string[]) => {
    const port = await freePort();
    const script = await startScript([
      '--no-deprecation',
      `test/load/bench/reads/${name}.ts`,
      String(port),
      join(directory, 'latchkey.db'),
      jwtSecret,
    ]);
    scripts.push(script.stop);
    return side(`http://127.0.0.1:${port}`, script.pid, requests);
  };
  const sides = {
    graphql: side(server.url, server.management, overGraphQL(query.replace('ID!', 'UUID!'))),
    rest: side(server.url, server.management, overRest),
    sameApollo: await floor('same-work-apollo', overGraphQL(query.replace('ID!', 'UUID!'))),
    sameExpress: await floor('same-work-express', overRest),
    apollo: await floor('plain-apollo', overGraphQL(query)),
    express: await floor('plain-express', overRest),
    bare: await floor('bare-sqlite', overRest),
  };
  for (const [ours, theirs] of [
    [sides.graphql, sides.sameApollo],
    [sides.rest, sides.sameExpress],
  ] as const) {
    expectSameBytes(await firstBody(ours), await firstBody(theirs));
  }
  // The first round warms up.
  for (let round = 0; round <= rounds; round += 1) {
    progress(`reads, round ${round} of ${rounds}`);
    for (const each of Object.values(sides)) await take(each, round > 0);
  }
  for (const stop of scripts) await stop();
  await server.stop();

  const shown = ({ rates, cpuMs }: Side) =>
    `${median(rates).toFixed(0)}/s, ${median(cpuMs).toFixed(2)} ms of processor`;
  const figure = (name: string, value: Side, floorName: string, base: Side, atLeast = 0): Figure => ({
    name,
    floor: `${floorName}: ${shown(base)}`,
    value: shown(value),
    result: medianRatio(value.rates, base.rates),
    atLeast,
  });
  const { graphql, rest, sameApollo, sameExpress, apollo, express, bare } = sides;
  return [
    figure('a page of 50 keys over GraphQL', graphql, 'the same work with Apollo Server and Prisma', sameApollo, 1),
    figure('GET /v1/keys with limit=50', rest, 'the same work with Express and Prisma', sameExpress, 1),
    figure('a page of 50 keys over GraphQL', graphql, 'Apollo Server with Prisma', apollo),
    figure('a page of 50 keys over GraphQL', graphql, 'node:http with SQLite', bare),
    figure('GET /v1/keys with limit=50', rest, 'Express with Prisma', express),
    figure('GET /v1/keys with limit=50', rest, 'node:http with SQLite', bare),
  ];
};

async function take({ url, pid, requests, rates, cpuMs }: Side, counts: boolean): Promise<void> {
  const cpuBefore = cpuSeconds(pid);
  const { perSecond } = await measure(url, { requests, connections }, seconds);
  if (!counts) return;
  rates.push(perSecond);
  cpuMs.push((1000 * (cpuSeconds(pid) - cpuBefore)) / (perSecond * seconds));
}

async function firstBody({ url, requests: [request = ''] }: Side): Promise<string> {
  const connection = new RawConnection(Number(new URL(url).port), '127.0.0.1');
  const answer = await new Promise<RawAnswer | null>((resolve) => connection.send(request, resolve));
  connection.close();
  return answer?.text.split('\r\n\r\n')[1] ?? '';
}

/** Each key was used once, so that its last use is read. */
function useKeys(directory: string): void {
  const sqlite = new Sqlite(join(directory, 'latchkey.db'));
  sqlite.exec(`INSERT INTO "KeyUsage" ("keyId", "lastUsedAt") SELECT "id", "createdAt" FROM "ApiKey"`);
  sqlite.close();
}

function expectSameBytes(ours: string, theirs: string): void {
  if (ours === theirs && ours.length > 1000) return;
  throw new Error(`the peer's answer differs:\n${ours.slice(0, 300)}\n${theirs.slice(0, 300)}`);
}
