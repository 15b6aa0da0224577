/** Management reads: a page of 50 keys over GraphQL and over REST, beside plain servers on the same database. */
import { join } from 'node:path';
import { freePort } from '../../../support/free-port.ts';
import { cpuSeconds } from '../../../support/processes.ts';
import { seedKeys } from '../../../support/seed-keys.ts';
import { sessionToken } from '../../../support/service.ts';
import { temporaryDirectory } from '../../../support/temporary-database.ts';
import { progress } from '../../print.ts';
import { rawRequest } from '../../raw-connection.ts';
import { startScript } from '../../script.ts';
import { Server } from '../../server.ts';
import { median } from '../../statistics.ts';
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
  const directory = temporaryDirectory().path;
  const teams = await seedKeys(directory, teamCount * keysPerTeam, keysPerTeam);
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
    ]);
    scripts.push(script.stop);
    return side(`http://127.0.0.1:${port}`, script.pid, requests);
  };
  const sides = {
    graphql: side(server.url, server.management, overGraphQL(query.replace('ID!', 'UUID!'))),
    rest: side(server.url, server.management, overRest),
    apollo: await floor('plain-apollo', overGraphQL(query)),
    express: await floor('plain-express', overRest),
    bare: await floor('bare-sqlite', overRest),
  };
  // The first round warms up.
  for (let round = 0; round <= rounds; round += 1) {
    progress(`reads, round ${round} of ${rounds}`);
    for (const each of Object.values(sides)) await take(each, round > 0);
  }
  for (const stop of scripts) await stop();
  await server.stop();

  const shown = ({ rates, cpuMs }: Side) =>
    `${median(rates).toFixed(0)}/s, ${median(cpuMs).toFixed(2)} ms of processor`;
  const figure = (name: string, value: Side, floorName: string, base: Side): Figure => ({
    name,
    floor: `${floorName}: ${shown(base)}`,
    value: shown(value),
    result: medianRatio(value.rates, base.rates),
    atLeast: 0,
  });
  const { graphql, rest, apollo, express, bare } = sides;
  return [
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
