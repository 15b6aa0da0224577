/** createKey over GraphQL and over REST, compared with a bare loop of the same Prisma insert at the same concurrency. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { progress } from '../../harness/print.ts';
import type { Server } from '../../harness/server.ts';
import { median } from '../../harness/statistics.ts';
import { both, sessionToken } from '../../support/service.ts';
import { temporaryDirectory } from '../../support/temporary-database.ts';
import { rawRequest } from '../raw-connection.ts';
import { measure } from './compare.ts';
import { type Bench, type Figure, medianRatio, startOnSqlite } from './figures.ts';

const rounds = 5;
const seconds = 3;
const concurrency = 32;
const query =
  'mutation ($input: CreateKeyInput!) { createKey(input: $input) { apiKey { id name env prefix } secret } }';

export const create: Bench = async () => {
  const server = await startOnSqlite();
  const [floors, overGraphQL, overRest]: [number[], number[], number[]] = [[], [], []];
  await loadCreates(server, 'graphql', 1);
  await loadCreates(server, 'rest', 1);
  for (let round = 1; round <= rounds; round += 1) {
    progress(`create, round ${round} of ${rounds}`);
    floors.push(await bareInserts());
    overGraphQL.push(await loadCreates(server, 'graphql', seconds));
    overRest.push(await loadCreates(server, 'rest', seconds));
  }
  await server.stop();
  const figure = (name: string, rates: readonly number[]): Figure => ({
    name,
    floor: `${median(floors).toFixed(0)} bare inserts/s`,
    value: `${median(rates).toFixed(0)} creates/s`,
    result: medianRatio(rates, floors),
    atLeast: 0.7,
  });
  return [figure('createKey over GraphQL', overGraphQL), figure('POST /v1/keys', overRest)];
};

async function bareInserts(): Promise<number> {
  const { path, remove } = temporaryDirectory();
  const script = ['test/load/bench/bare-insert.ts', join(path, 'bare.db'), String(concurrency), String(seconds)];
  const { stdout } = await promisify(execFile)('node', script);
  remove();
  return Number(stdout);
}

export async function loadCreates({ url }: Server, api: 'graphql' | 'rest', duration: number): Promise<number> {
  // Each request creates a key for a team of its own.
  const requests = Array.from({ length: concurrency }, () => {
    const teamId = randomUUID();
    const input = { teamId, name: 'A key', env: 'live' };
    const token = sessionToken({ [teamId]: both });
    return api === 'rest'
      ? rawRequest({ method: 'POST', path: '/v1/keys', token, body: input })
      : rawRequest({ method: 'POST', path: '/graphql', token, body: { query, variables: { input } } });
  });
  return (await measure(url, { requests, connections: concurrency }, duration)).perSecond;
}
