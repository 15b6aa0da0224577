/** Verification beside a bare `node:http` server: same client, same connections, same bodies, in turn. */
import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { signRequest } from '../../src/client/sign.ts';
import { freePort } from '../support/embedded-postgres.ts';
import { both, rest, sessionToken } from '../support/service.ts';
import { type Figure, median } from './figures.ts';
import { bytesPerCachedKey } from './memory.ts';
import { type BenchServer, startServer, temporaryDirectory } from './server.ts';
import { type Load, measure, requireWrk } from './wrk.ts';
import { seedZipf } from './zipf.ts';

const rounds = 5;
const seconds = 2;
const team = randomUUID();
const token = sessionToken({ [team]: both });
const json = { 'content-type': 'application/json' };

interface Case {
  readonly name: string;
  readonly server: BenchServer;
  /** A fresh one each round, where a request can't be sent twice. */
  readonly load: () => Load;
  /** Of the floor's answer: the size of its body, and of headers beyond the usual ones. */
  readonly answer: readonly [bodySize: number, headerSize: number];
  readonly atLeast: number;
  readonly p99AtMost?: number;
  readonly warmUps?: number;
}

export async function benchVerify(): Promise<Figure[]> {
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
      load: () => verify,
      answer: [size, 0],
      atLeast: 0.9,
      p99AtMost: 1.5,
    })),
    ...(await compare({
      name: 'signed verify',
      server,
      load: () => signedLoad(signing),
      answer: [size, 0],
      atLeast: 0.5,
    })),
    ...(await compare({ name: 'forward-auth', server, load: () => authorize, answer: [0, 150], atLeast: 0.9 })),
    ...(await compare({
      name: 'junk keys',
      server,
      load: () => ({ ...verify, bodies: junk }),
      answer: [110, 0],
      atLeast: 0.95,
    })),
  ];
  await server.stop();
  directory.remove();
  return [...figures, ...(await benchZipf(size)), bytesPerCachedKey()];
}

async function benchZipf(size: number): Promise<Figure[]> {
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
    load,
    answer: [size, 0],
    atLeast: 0.7,
    warmUps: 5,
  });
  await server.stop();
  directory.remove();
  return figures;
}

async function compare({ name, server, load, answer, atLeast, p99AtMost, warmUps = 1 }: Case): Promise<Figure[]> {
  const scratch = temporaryDirectory();
  const bare = await startBare(answer);
  for (let i = 0; i < warmUps; i += 1) await measure(server.verifyUrl, load(), 1, scratch.path);
  await measure(bare.url, load(), 1, scratch.path);
  const floors: number[] = [];
  const rates: number[] = [];
  const floorTails: number[] = [];
  const tails: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const current = load();
    const floor = await measure(bare.url, current, seconds, scratch.path);
    const ours = await measure(server.verifyUrl, current, seconds, scratch.path);
    floors.push(floor.perSecond);
    rates.push(ours.perSecond);
    floorTails.push(floor.p99Ms);
    tails.push(ours.p99Ms);
  }
  await bare.stop();
  scratch.remove();
  const ratio = (ours: readonly number[], theirs: readonly number[]) =>
    median(ours.map((value, i) => value / (theirs[i] ?? Number.NaN)));
  const throughput: Figure = {
    name,
    floor: `${median(floors).toFixed(0)} bare answers/s`,
    value: `${median(rates).toFixed(0)} verdicts/s`,
    result: ratio(rates, floors),
    atLeast,
  };
  if (p99AtMost === undefined) return [throughput];
  const tail: Figure = {
    name: `${name}, p99`,
    floor: `${median(floorTails).toFixed(2)} ms`,
    value: `${median(tails).toFixed(2)} ms`,
    result: ratio(tails, floorTails),
    atMost: p99AtMost,
  };
  return [throughput, tail];
}

async function startBare([bodySize, headerSize]: readonly [number, number]) {
  const port = await freePort();
  const script = ['--import', 'tsx', 'test/bench/bare-server.ts', String(port), String(bodySize), String(headerSize)];
  const child = spawn('node', script, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  const stop = async () => {
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    await exit;
  };
  return { url: `http://127.0.0.1:${port}`, stop };
}

async function createKey({ url }: BenchServer) {
  const { body } = await rest(url, token, 'POST', '/v1/keys', { teamId: team, name: 'Bench', env: 'live' });
  return { id: String(body.id), secret: String(body.secret) };
}

async function verdictOf({ verifyUrl }: BenchServer, key: string) {
  return (await rest(verifyUrl, null, 'POST', '/v1/verify', { key })).body;
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
