/** createKey over GraphQL and over REST, compared with a bare loop of the same Prisma insert at the same concurrency. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import autocannon from 'autocannon';
import type { Server } from '../load/server.ts';
import { median } from '../load/statistics.ts';
import { both, sessionToken } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-database.ts';
import { type Bench, type Figure, withSqlite } from './figures.ts';

const rounds = 5;
const seconds = 3;
const concurrency = 32;

export const create: Bench = {
  steps: rounds,
  run: (progress) =>
    withSqlite(async (server) => {
      const [floors, overGraphQL, overRest]: [number[], number[], number[]] = [[], [], []];
      await load(server, 'graphql', 1);
      await load(server, 'rest', 1);
      for (let round = 0; round < rounds; round += 1) {
        progress.next(`create, round ${round + 1} of ${rounds}`);
        floors.push(await bareInserts());
        overGraphQL.push(await load(server, 'graphql', seconds));
        overRest.push(await load(server, 'rest', seconds));
      }
      const floor = `${median(floors).toFixed(0)} bare inserts/s`;
      const figure = (name: string, rates: readonly number[]): Figure => ({
        name,
        floor,
        value: `${median(rates).toFixed(0)} creates/s`,
        result: median(rates.map((rate, round) => rate / (floors[round] ?? Number.NaN))),
        atLeast: 0.6,
      });
      return [figure('createKey over GraphQL', overGraphQL), figure('POST /v1/keys', overRest)];
    }),
};

async function bareInserts(): Promise<number> {
  const { path, remove } = temporaryDirectory();
  const script = ['test/bench/bare-insert.ts', join(path, 'bare.db'), String(concurrency), String(seconds)];
  const { stdout } = await promisify(execFile)('node', script);
  remove();
  return Number(stdout);
}

async function load({ url }: Server, api: 'graphql' | 'rest', duration: number): Promise<number> {
  // Each connection creates keys for a team of its own.
  const requests = Array.from({ length: concurrency }, () => {
    const teamId = randomUUID();
    const input = { teamId, name: 'A key', env: 'live' };
    const query =
      'mutation ($input: CreateKeyInput!) { createKey(input: $input) { apiKey { id name env prefix } secret } }';
    return {
      method: 'POST' as const,
      path: api === 'rest' ? '/v1/keys' : '/graphql',
      headers: {
        authorization: `Bearer ${sessionToken({ [teamId]: both })}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(api === 'rest' ? input : { query, variables: { input } }),
    };
  });
  const result = await autocannon({ url, connections: concurrency, duration, requests });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx + result.errors} creates failed`);
  return result['2xx'] / result.duration;
}
