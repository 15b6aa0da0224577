/** A page of 50 of a team's 1,000 keys, in a database of 1,000 keys and in one of 1,000,000. And starting on them. */

import { progress } from '../../harness/print.ts';
import { Server } from '../../harness/server.ts';
import { median } from '../../harness/statistics.ts';
import { seedKeys } from '../../support/seed-keys.ts';
import { sessionToken } from '../../support/service.ts';
import { temporaryDirectory } from '../../support/temporary-database.ts';
import { rawRequest } from '../raw-connection.ts';
import { measure } from './compare.ts';
import { type Bench, medianRatio } from './figures.ts';

const rounds = 7;
const seconds = 2;
const keysPerTeam = 1000;
const sizes = [1000, 1_000_000];

export const pages: Bench = async () => {
  const databases = [];
  for (const size of sizes) {
    progress(`pages, a database of ${size.toLocaleString('en-US')} keys`);
    const directory = temporaryDirectory().path;
    const teams = await seedKeys(directory, size, keysPerTeam);
    databases.push({ teams, server: await Server.service({ directory }), latencies: [] as number[] });
  }
  const starts: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    progress(`start-up, round ${round} of ${rounds}`);
    for (const { server } of databases) {
      server.spawn();
      starts.push(await server.ready());
      await server.stop();
    }
  }
  await Promise.all(databases.map(({ server }) => server.start()));
  // The first round warms up.
  for (let round = 0; round <= rounds; round += 1) {
    progress(`pages, round ${round} of ${rounds}`);
    for (const { server, teams, latencies } of databases) {
      // As many as a client might ask about; with 1,000,000 keys they are spread over the whole database.
      const latency = await pageLatency(server, teams.slice(0, 200));
      if (round > 0) latencies.push(latency);
    }
  }
  for (const { server } of databases) await server.stop();
  const [small = [], large = []] = databases.map(({ latencies }) => latencies);
  return [
    {
      name: 'a page of 50 keys at 1,000,000 keys',
      floor: `${median(small).toFixed(2)} ms at 1,000 keys`,
      value: `${median(large).toFixed(2)} ms`,
      result: medianRatio(large, small),
      atMost: 1.25,
    },
    {
      name: 'start-up to ready, at 1,000 and at 1,000,000 keys',
      floor: '',
      value: `slowest of ${starts.length}: ${(Math.max(...starts) / 1000).toFixed(2)} s`,
      result: median(starts) / 1000,
      atMost: 1.5,
      unit: ' s',
    },
  ];
};

/** The mean time of a page in milliseconds, one request after the other, over the teams of the database in turn. */
async function pageLatency({ url }: Server, teams: readonly string[]): Promise<number> {
  const query = `query ($teamId: UUID!) {
    keys(teamId: $teamId, first: 50) { nodes { id name env prefix lastUsedAt createdAt } pageInfo { hasNextPage endCursor } }
  }`;
  const requests = teams.map((teamId) => {
    const token = sessionToken({ [teamId]: ['view_team'] });
    return rawRequest({ method: 'POST', path: '/graphql', token, body: { query, variables: { teamId } } });
  });
  return 1000 / (await measure(url, { requests, connections: 1 }, seconds)).perSecond;
}
