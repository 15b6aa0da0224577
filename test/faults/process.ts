/** The built service as a process of its own, and how it is asked. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { checkedFetch } from '../support/checked-fetch.ts';
import { freePort } from '../support/free-port.ts';
import { jwtSecret } from '../support/service.ts';

export interface RunningProcess {
  readonly child: ChildProcess;
  readonly url: string;
  readonly verifyUrl: string;
  /** What it wrote to standard output and error, as far as these are pipes. */
  readonly output: () => string;
  readonly exit: Promise<number | null>;
  /** Ends it as an orchestrator would; answers its exit code. */
  readonly stop: () => Promise<number | null>;
}

const readyWithinMs = 25_000;
const running = new Set<ChildProcess>();

/** Resolves when it answers at both ports, or has ended. */
export async function startProcess(
  environment: NodeJS.ProcessEnv,
  stdout: 'pipe' | number = 'pipe',
): Promise<RunningProcess> {
  const [port, verifyPort] = [await freePort(), await freePort()];
  const child = spawn('node', ['dist/main.js'], {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      VERIFY_PORT: String(verifyPort),
      JWT_SECRET: jwtSecret,
      MANAGEMENT_RATE_LIMIT: '1000000',
      ...environment,
    },
    stdio: ['ignore', stdout, 'pipe'],
  });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += String(chunk);
    });
  }
  // Not 'exit': what it wrote last must have been read.
  const exit = once(child, 'close').then(([code]: (number | null)[]) => {
    running.delete(child);
    return code ?? null;
  });
  const [url, verifyUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${verifyPort}`];
  const isReady = async () => (await isOpen(url)) && (await isOpen(verifyUrl));
  await until('the service is ready', async () => !running.has(child) || (await isReady()), readyWithinMs);
  return {
    child,
    url,
    verifyUrl,
    output: () => output,
    exit,
    stop: async () => {
      child.kill('SIGTERM');
      return await exit;
    },
  };
}

/** For afterEach: ends all processes, also if the test failed. */
export async function killProcesses(): Promise<void> {
  await Promise.all(
    [...running].map(async (child) => {
      const closed = once(child, 'close');
      child.kill('SIGKILL');
      await closed;
    }),
  );
}

async function isOpen(url: string): Promise<boolean> {
  try {
    await fetch(url);
    return true;
  } catch {
    return false;
  }
}

export interface Verdict {
  readonly status: number;
  /** The verdict, or the code of the problem. */
  readonly code: string;
  readonly headers: Headers;
  readonly text: string;
}

export async function verify({ verifyUrl }: RunningProcess, body: unknown): Promise<Verdict> {
  const response = await checkedFetch(`${verifyUrl}/v1/verify`, { method: 'POST', body: JSON.stringify(body) });
  const text = await response.text();
  return { status: response.status, code: JSON.parse(text).code, headers: response.headers, text };
}

/** Repeats the call until the condition is met. */
export async function until(what: string, condition: () => Promise<boolean>, withinMs = 15_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`it did not come to it that ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
