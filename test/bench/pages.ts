/** A page of 50 of a team's 1,000 keys, in a database of 1,000 keys and in one of 1,000,000. And starting on them. */
import autocannon from 'autocannon';
import { Server } from '../load/server.ts';
import { median } from '../load/statistics.ts';
import { seedKeys } from '../support/seed-keys.ts';
import { sessionToken } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-database.ts';
import type { Bench } from './figures.ts';

const rounds = 7;
const seconds = 2;
const keysPerTeam = 1000;
const sizes = [1000, 1_000_000] as const;

export const pages: Bench = {
  /** The databases, the starts, and the pages with one round to warm up. */
  steps: sizes.length + rounds + rounds + 1,
  run: async (progress) => {
    const databases = [];
    for (const size of sizes) {
      progress.next(`pages, a database of ${size.toLocaleString('en-US')} keys`);
      const directory = temporaryDirectory();
      const teams = await seedKeys(directory.path, size, keysPerTeam);
      const server = await Server.service({ directory: directory.path });
      databases.push({ directory, teams, server, latencies: [] as number[] });
    }
    const starts: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      progress.next(`start-up, round ${round + 1} of ${rounds}`);
      for (const { server } of databases) {
        server.spawn();
        starts.push(await server.ready());
        await server.stop();
      }
    }
    await Promise.all(databases.map(({ server }) => server.start()));
    for (let round = 0; round <= rounds; round += 1) {
      progress.next(round === 0 ? 'pages, warming up' : `pages, round ${round} of ${rounds}`);
      for (const { server, teams, latencies } of databases) {
        // As many as a client might ask about; with 1,000,000 keys they are spread over the whole database.
        const latency = await pageLatency(server, teams.slice(0, 200));
        if (round > 0) latencies.push(latency);
      }
    }
    for (const { server, directory } of databases) {
      await server.stop();
      directory.remove();
    }
    const [small = [], large = []] = databases.map(({ latencies }) => latencies);
    return [
      {
        name: 'a page of 50 keys at 1,000,000 keys',
        floor: `${median(small).toFixed(2)} ms at 1,000 keys`,
        value: `${median(large).toFixed(2)} ms`,
        result: median(large.map((latency, round) => latency / (small[round] ?? Number.NaN))),
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
  },
};

/** The mean time of a page, one request after the other, over the teams of the database in turn. */
async function pageLatency({ url }: Server, teams: readonly string[]): Promise<number> {
  const query = `query ($teamId: UUID!) {
    keys(teamId: $teamId, first: 50) { nodes { id name env prefix lastUsedAt createdAt } pageInfo { hasNextPage endCursor } }
  }`;
  const requests = teams.map((teamId) => ({
    method: 'POST' as const,
    path: '/graphql',
    headers: {
      authorization: `Bearer ${sessionToken({ [teamId]: ['view_team'] })}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ query, variables: { teamId } }),
  }));
  const result = await autocannon({ url, connections: 1, duration: seconds, requests });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx + result.errors} pages failed`);
  return (result.duration * 1000) / result['2xx'];
}
