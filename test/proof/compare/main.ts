/**
 * `npm run prove -- compare [--seconds 20] [--output docs/evidence/histories]`: records a history of each system below in the
 * same way, one after the other, and judges it. Prints the rows of the table in docs/evidence/proof.md. Needs the build,
 * Debian's redis-server, and npm's registry, from which it installs Better Auth.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { readArguments, readNumber } from '../../harness/arguments.ts';
import { betterAuthVersion, installBetterAuth } from '../../harness/peers/install.ts';
import { progress } from '../../harness/print.ts';
import { Server } from '../../harness/server.ts';
import { startScript } from '../../load/script.ts';
import { freePort } from '../../support/free-port.ts';
import { startPostgres } from '../../support/postgres.ts';
import { both, sessionToken } from '../../support/service.ts';
import { postgresDatabase, temporaryDirectory } from '../../support/temporary-database.ts';
import { createCachingVerifier } from '../history/caching-verifier.ts';
import { describedDriver } from '../history/described-driver.ts';
import { checkLines } from '../history/read.ts';
import { Recorder } from '../history/record.ts';

const team = '11111111-1111-4111-8111-111111111111';
const cachedSeconds = 10;

interface Peer {
  readonly name: string;
  readonly file: string;
  readonly management: string;
  readonly endpoint: string;
  readonly description: string;
  readonly leaseMs?: number;
  readonly stop: () => Promise<unknown>;
}

const latchkey = 'test/proof/history/latchkey.json';
const betterAuth = 'test/proof/compare/better-auth.json';

/** Each is started when it is its turn. */
const peers: readonly (() => Promise<Peer>)[] = [
  async () => {
    const server = await Server.startService({
      ...{ directory: temporaryDirectory().path, environment: { WORKERS: '2' } },
    });
    return {
      ...{ name: 'Latchkey on SQLite, two processes', file: 'latchkey', description: latchkey },
      ...{ management: server.url, endpoint: `${server.verifyUrl}/v1/authorize`, stop: () => server.stop() },
    };
  },
  async () => {
    const postgres = await startPostgres();
    const { url, directory } = await postgresDatabase(postgres.url);
    const environment = { DATABASE_URL: url, VERIFY_LEASE_MS: '50' };
    const server = await Server.startService({ directory, environment });
    const edge = await Server.startEdge([server.verifyUrl]);
    const stop = async () => {
      await edge.stop();
      await server.stop();
      await postgres.stop();
    };
    return {
      ...{ name: 'Latchkey on PostgreSQL, at an edge, with a lease of 50 ms', file: 'latchkey-edge' },
      ...{ description: latchkey, management: server.url, endpoint: `${edge.verifyUrl}/v1/authorize` },
      ...{ leaseMs: 50, stop },
    };
  },
  async () => await startBetterAuth('in the memory of one process', 'better-auth'),
  async () => {
    const port = await freePort();
    const redis = spawn('redis-server', ['--port', String(port), '--save', '', '--bind', '127.0.0.1'], {
      stdio: 'ignore',
    });
    const ended = once(redis, 'exit');
    const url = `redis://127.0.0.1:${port}`;
    const peer = await startBetterAuth('with Redis as secondary storage', 'better-auth-redis', url);
    const stop = async () => {
      await peer.stop();
      redis.kill('SIGTERM');
      await ended;
    };
    return { ...peer, stop };
  },
  async () => {
    const server = await Server.startService({ directory: temporaryDirectory().path });
    const gateway = createCachingVerifier(server.verifyUrl, cachedSeconds * 1000).listen(0, '127.0.0.1');
    await once(gateway, 'listening');
    const address = gateway.address();
    if (address === null || typeof address === 'string') throw new Error('it listens on no port');
    const stop = async () => {
      gateway.closeAllConnections();
      gateway.close();
      await server.stop();
    };
    return {
      ...{ name: `A gateway that keeps verdicts for ${cachedSeconds} s`, file: 'caching-gateway' },
      ...{ description: latchkey, management: server.url, endpoint: `http://127.0.0.1:${address.port}`, stop },
    };
  },
];

let program: string | null = null;

async function startBetterAuth(storage: string, file: string, ...args: readonly string[]): Promise<Peer> {
  program ??= await installBetterAuth(temporaryDirectory().path);
  const port = await freePort();
  const script = await startScript([program, String(port), ...args], { environment: { NODE_ENV: 'production' } });
  const url = `http://127.0.0.1:${port}`;
  return {
    ...{ name: `Better Auth ${betterAuthVersion}, ${storage}`, file, description: betterAuth },
    ...{ management: url, endpoint: url, stop: script.stop },
  };
}

async function record({ name, file, management, endpoint, description, leaseMs = 0 }: Peer): Promise<string> {
  progress(`${name}, for ${seconds} s`);
  const api = { url: management, team, token: sessionToken({ [team]: both }) };
  const target = {
    ...{ api, driver: describedDriver(readFileSync(description, 'utf8')), endpoint: new URL(endpoint) },
    isAccepted: (status: number) => status === 200,
    isRejected: (status: number) => status === 401,
  };
  const recorder = new Recorder(target, { seconds, keys: 4, pauseMs: 200 });
  await recorder.run();
  const { recording, errors, failures, firstFailure } = recorder;
  for (const error of [...errors, ...(failures > 0 ? [`${failures} without a verdict: ${firstFailure}`] : [])]) {
    console.error(`${name}: ${error}`);
  }
  const lines = [recording.stop(leaseMs), ...recording.events].map((line) => `${JSON.stringify(line)}\n`);
  writeFileSync(join(output, `${file}.ndjson.gz`), gzipSync(lines.join(''), { level: 9 }));
  return rowOf(name, `histories/${file}.ndjson.gz`, await checkLines(Readable.from(lines)));
}

function rowOf(name: string, file: string, result: Awaited<ReturnType<typeof checkLines>>): string {
  const { changes, verifications, telling, violationCount, maxLateMs } = result;
  const window = violationCount === 0 ? '0' : `${maxLateMs.toFixed(0)} ms`;
  return `| [${name}](${file}) | ${changes} | ${verifications} | ${telling} | ${violationCount} | ${window} |`;
}

const { values } = readArguments({
  options: {
    seconds: { type: 'string', default: '20' },
    output: { type: 'string', default: 'docs/evidence/histories' },
  },
});
const seconds = readNumber('--seconds', values.seconds, 1);
const { output } = values;
mkdirSync(output, { recursive: true });
const rows: string[] = [];
for (const start of peers) {
  const peer = await start();
  rows.push(await record(peer));
  await peer.stop();
}
console.log(rows.join('\n'));
