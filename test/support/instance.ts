/** The built service as a process of its own, on free ports of the loopback interface. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from './embedded-postgres.ts';
import { jwtSecret } from './service.ts';

export interface Instance {
  readonly process: ChildProcess;
  /** Of the management port. */
  readonly url: string;
  readonly verifyUrl: string;
  readonly output: () => string;
  /** The exit code; null when a signal ended it. */
  readonly exit: Promise<number | null>;
  /** As an orchestrator does it; answers the exit code. */
  readonly stop: () => Promise<number | null>;
}

const started = new Set<ChildProcess>();

/** Starts the service that is built in a directory. Resolves when it is ready, and throws with its output if it fails to start. */
export async function startInstance(
  environment: NodeJS.ProcessEnv,
  workers = 1,
  directory = process.cwd(),
): Promise<Instance> {
  const [port, verifyPort] = [await freePort(), await freePort()];
  const child = spawn('node', ['dist/main.js'], {
    cwd: directory,
    env: serviceEnvironment({
      PORT: String(port),
      VERIFY_PORT: String(verifyPort),
      WORKERS: String(workers),
      ...environment,
    }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.add(child);
  let output = '';
  // Not 'exit', which may come before the last of the output.
  const exit = once(child, 'close').then(([code]: (number | null)[]) => {
    started.delete(child);
    return code ?? null;
  });
  const ready = new Promise<true>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => {
        output += String(chunk);
        if (output.includes('"msg":"ready"')) resolve(true);
      });
    }
  });
  if ((await Promise.race([ready, exit])) !== true) throw new Error(`the service did not start: ${output}`);
  return {
    process: child,
    url: `http://127.0.0.1:${port}`,
    verifyUrl: `http://127.0.0.1:${verifyPort}`,
    output: () => output,
    exit,
    stop: async () => {
      child.kill('SIGTERM');
      return await exit;
    },
  };
}

/** For afterEach: ends the processes that a test left running. */
export function killInstances(): void {
  for (const child of started) child.kill('SIGKILL');
  started.clear();
}

export interface CommandOutcome {
  readonly exitCode: number | string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built command `latchkey`, with nothing else of this environment. */
export async function runCommand(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  input = '',
): Promise<CommandOutcome> {
  const env = serviceEnvironment(environment);
  return await new Promise((resolve) => {
    const child = execFile(process.execPath, ['dist/cli/latchkey.js', ...args], { env }, (error, stdout, stderr) => {
      resolve({ exitCode: error === null ? 0 : (error.code ?? null), stdout, stderr });
    });
    // A command that does not read its input may have ended already.
    child.stdin?.on('error', () => undefined).end(input);
  });
}

function serviceEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, JWT_SECRET: jwtSecret, MANAGEMENT_RATE_LIMIT: '1000000', ...environment };
}

/** Repeats a request until it returns the expected response. */
export async function until(what: string, isSo: () => Promise<boolean> | boolean, withinMs = 25_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
