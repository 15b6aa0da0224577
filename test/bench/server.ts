/** The built service in a process of its own, as operators run it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/embedded-postgres.ts';
import { jwtSecret } from '../support/service.ts';

export interface BenchServer {
  readonly url: string;
  readonly verifyUrl: string;
  /** Of the first process of the service. */
  readonly pid: number;
  /** From spawning `node` to the first 200 of /readyz on both ports. */
  readonly readyAfterMs: number;
  readonly stop: () => Promise<void>;
}

export async function startServer(
  dataDirectory: string,
  environment: NodeJS.ProcessEnv = {},
  /** How many file descriptors each of its processes may have; absent: as many as the system allows. */
  descriptors?: number,
): Promise<BenchServer> {
  const [port, verifyPort] = [await freePort(), await freePort()];
  const [url, verifyUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${verifyPort}`];
  const startedAt = performance.now();
  const limit = descriptors === undefined ? '' : `ulimit -n ${descriptors}; `;
  const child = spawn('sh', ['-c', `${limit}exec node dist/main.js`], {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      VERIFY_PORT: String(verifyPort),
      DATA_DIR: dataDirectory,
      JWT_SECRET: jwtSecret,
      MANAGEMENT_RATE_LIMIT: '100000000',
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  // A benchmark that fails leaves no server behind.
  const end = () => child.kill('SIGTERM');
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
  while (!(await isReady(url)) || !(await isReady(verifyUrl))) {
    if (child.exitCode !== null) throw new Error('the server ended before it was ready');
  }
  return {
    url,
    verifyUrl,
    pid: child.pid ?? 0,
    readyAfterMs: performance.now() - startedAt,
    stop: () => stop(child),
  };
}

/** Also when it has ended already. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}

async function isReady(url: string): Promise<boolean> {
  return await new Promise((resolve) => {
    get(`${url}/readyz`, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
      // Asked again in a while: the question must not slow down what it asks about.
    }).once('error', () => setTimeout(() => resolve(false), 5));
  });
}

export function temporaryDirectory(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'latchkey-bench-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
