/** Verification on SQLite, beside a bare `node:http` server. */
import { randomBytes } from 'node:crypto';
import { signRequest } from '../../src/client/sign.ts';
import type { Progress } from '../support/progress.ts';
import { rest } from '../support/service.ts';
import { createKey, token, verdictOf } from './calls.ts';
import { compare, compareSteps } from './compare.ts';
import type { Figure } from './figures.ts';
import { bytesPerCachedKey } from './memory.ts';
import { type BenchServer, startServer, temporaryDirectory } from './server.ts';
import { type Load, requireWrk } from './wrk.ts';
import { seedZipf } from './zipf.ts';

const json = { 'content-type': 'application/json' };

/** Five comparisons, the keys of one of them, and the memory of a cached key. */
export const verifySteps = 5 * compareSteps + 2;

export async function benchVerify(progress: Progress): Promise<Figure[]> {
  requireWrk();
  const directory = temporaryDirectory();
  const server = await startServer(directory.path);
  const { secret } = await createKey(server);
  const size = JSON.stringify(await verdictOf(server, secret)).length;
  const bodies = [JSON.stringify({ key: secret, env: 'live', sourceIp: '203.0.113.9' })];
  const verify: Load = { method: 'POST', path: '/v1/verify', headers: json, bodies };
  const signing = await createSigningKey(server);
  const authorize: Load = {
    method: 'GET',
    path: '/v1/authorize?env=live',
    headers: { authorization: `Bearer ${secret}` },
    bodies: [],
  };
  const junk = Array.from({ length: 1000 }, () =>
    JSON.stringify({ key: `lk_live_${randomBytes(30).toString('base64url')}` }),
  );
  const figures = [
    ...(await compare({
      name: 'warm verify',
      server,
      progress,
      load: () => verify,
      answer: [size, 0],
      atLeast: 1,
      p99AtMost: 1.2,
    })),
    ...(await compare({
      name: 'signed verify',
      server,
      progress,
      load: () => signedLoad(signing),
      answer: [size, 0],
      atLeast: 0.5,
    })),
    ...(await compare({
      name: 'forward-auth',
      server,
      progress,
      load: () => authorize,
      answer: [0, 150],
      atLeast: 0.95,
    })),
    ...(await compare({
      name: 'junk keys',
      server,
      progress,
      load: () => ({ ...verify, bodies: junk }),
      answer: [110, 0],
      atLeast: 0.95,
    })),
  ];
  await server.stop();
  directory.remove();
  const zipf = await benchZipf(size, progress);
  progress.next('memory of a cached key');
  return [...figures, ...zipf, bytesPerCachedKey()];
}

async function benchZipf(size: number, progress: Progress): Promise<Figure[]> {
  progress.next('a database of 1,000,000 keys');
  const directory = temporaryDirectory();
  const { environment, draws } = await seedZipf(directory.path);
  const server = await startServer(directory.path, environment);
  let drawn = 0;
  const load = () => {
    const bodies = draws.slice(drawn, drawn + 100_000);
    drawn = (drawn + 100_000) % draws.length;
    return { method: 'POST', path: '/v1/verify', headers: json, bodies };
  };
  const figures = await compare({
    name: 'verify, Zipf over 1,000,000 keys',
    server,
    progress,
    load,
    answer: [size, 0],
    atLeast: 0.7,
    warmUps: 5,
  });
  await server.stop();
  directory.remove();
  return figures;
}

async function createSigningKey(server: BenchServer) {
  const { id, secret } = await createKey(server);
  const { body } = await rest(server.url, token, 'POST', `/v1/keys/${id}/signing/enable`);
  return { keyId: id, secret, signingSecret: String(body.signingSecret) };
}

function signedLoad({ keyId, secret, signingSecret }: { keyId: string; secret: string; signingSecret: string }): Load {
  const request = { method: 'GET', url: 'https://api.example.com/orders?page=1' };
  const bodies = Array.from({ length: 60_000 }, () => {
    const headers = {
      host: 'api.example.com',
      ...signRequest(request, { keyId, signingSecret, expiresInSeconds: 300 }),
    };
    return JSON.stringify({ key: secret, env: 'live', request: { ...request, headers } });
  });
  return { method: 'POST', path: '/v1/verify', headers: json, bodies };
}
