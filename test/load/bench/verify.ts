/** Verification on SQLite, compared with a bare `node:http` server. */
import { spawnSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { signRequest } from '../../../src/client/sign.ts';
import { limits } from '../../../src/domain/limits.ts';
import { progress } from '../../harness/print.ts';
import { Server } from '../../harness/server.ts';
import { enableSigning, type MadeKey, makeKey } from '../../support/calls.ts';
import { both, rest, sessionToken } from '../../support/service.ts';
import { temporaryDirectory } from '../../support/temporary-database.ts';
import { rawRequest } from '../raw-connection.ts';
import type { WrkLoad } from '../wrk.ts';
import { type Case, compare } from './compare.ts';
import { type Bench, type Figure, startOnSqlite } from './figures.ts';
import { seedZipf } from './zipf.ts';

const connections = 32;

const verifyRequest = (body: object) => rawRequest({ method: 'POST', path: '/v1/verify', body });

/** The verification that is measured most, and the size of its answer. */
export async function usualCall(server: Server, { secret }: Pick<MadeKey, 'secret'>) {
  const body = { key: secret, env: 'live', sourceIp: '203.0.113.9' };
  const verdict = (await rest(server.verifyUrl, null, 'POST', '/v1/verify', body)).body;
  return { request: verifyRequest(body), size: JSON.stringify(verdict).length };
}

export const verify: Bench = async () => {
  const server = await startOnSqlite();
  const key = await makeKey(server);
  const { request, size } = await usualCall(server, key);
  const signing = await makeKey(server);
  const signingSecret = await enableSigning(server, signing);
  const authorize = rawRequest({ method: 'GET', path: '/v1/authorize?env=live', token: key.secret });
  const token = await deriveToken(server, key);
  const frozen = await withFences(server);
  const junk = () => verifyRequest({ key: `lk_live_${randomBytes(30).toString('base64url')}` });
  const junkRequests = Array.from({ length: 1000 }, junk);
  const cases: readonly Omit<Case, 'verifyUrl'>[] = [
    { name: 'warm verify', load: always(request), answer: [size, 0], atLeast: 1, p99AtMost: 1.2 },
    { name: 'warm verify of a derived token', load: always(token), answer: [size, 0], atLeast: 0.9 },
    { name: 'warm verify of a team with 100 fences', load: always(frozen), answer: [size, 0], atLeast: 0.95 },
    { name: 'signed verify', load: () => signedLoad(signing, signingSecret), answer: [size, 0], atLeast: 0.5 },
    { name: 'forward-auth', load: always(authorize), answer: [0, 150], atLeast: 0.95 },
    { name: 'junk keys', load: always(...junkRequests), answer: [110, 0], atLeast: 0.95 },
  ];
  const figures: Figure[] = [];
  for (const one of cases) figures.push(...(await compare({ ...one, verifyUrl: server.verifyUrl })));
  await server.stop();
  return [...figures, ...(await compareZipf(size)), bytesPerCachedKey()];
};

/** A verification of a token that was derived from the key. */
async function deriveToken(server: Server, { secret }: MadeKey): Promise<string> {
  const expiresAt = new Date(Date.now() + 3_600_000 * 23).toISOString();
  const { body } = await rest(server.verifyUrl, null, 'POST', '/v1/derive', { key: secret, scopes: [], expiresAt });
  return verifyRequest({ key: body.token, env: 'live', sourceIp: '203.0.113.9' });
}

/** A verification of a key whose team has as many fences as it can have, none of which covers it. */
async function withFences(server: Server): Promise<string> {
  const teamId = randomUUID();
  const token = sessionToken({ [teamId]: both });
  const call = (path: string, body: object) => rest(server.url, token, 'POST', path, { teamId, ...body });
  for (let i = 0; i < limits.fences; i += 1) await call('/v1/fences', { reason: 'A drill', tags: [`tag ${i}`] });
  const { body } = await call('/v1/keys', { name: 'A key', env: 'live' });
  return verifyRequest({ key: body.secret, env: 'live', sourceIp: '203.0.113.9' });
}

async function compareZipf(size: number): Promise<Figure[]> {
  progress('a database of 1,000,000 keys');
  const directory = temporaryDirectory().path;
  const { environment, requests } = await seedZipf(directory);
  const server = await Server.startService({ directory, environment });
  let drawn = 0;
  const load = () => {
    const some = requests.slice(drawn, drawn + 100_000);
    drawn = (drawn + 100_000) % requests.length;
    return { requests: some, connections };
  };
  const { verifyUrl } = server;
  const name = 'verify, Zipf over 1,000,000 keys';
  const figures = await compare({ name, verifyUrl, load, answer: [size, 0], atLeast: 0.7, warmUps: 5 });
  await server.stop();
  return figures;
}

const always =
  (...requests: readonly string[]) =>
  (): WrkLoad => ({ requests, connections });

function signedLoad({ id, secret }: MadeKey, signingSecret: string): WrkLoad {
  const request = { method: 'GET', url: 'https://api.example.com/orders?page=1' };
  const requests = Array.from({ length: 60_000 }, () => {
    const signature = signRequest(request, { keyId: id, signingSecret, expiresInSeconds: 300 });
    const headers = { host: 'api.example.com', ...signature };
    return verifyRequest({ key: secret, env: 'live', request: { ...request, headers } });
  });
  return { requests, connections };
}

/** The heap per cached key, measured in a process of its own with 200,000 keys. */
function bytesPerCachedKey(): Figure {
  const { stdout } = spawnSync('node', ['--expose-gc', 'test/load/bench/fill-cache.ts']);
  const bytes = Number(stdout.toString());
  return { name: 'memory of a cached key', floor: '', value: '', result: bytes, atMost: 1024, unit: ' bytes' };
}
