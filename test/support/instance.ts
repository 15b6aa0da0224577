/** The built service and its commands as processes of their own, on free ports of the loopback interface. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from './free-port.ts';
import { jwtSecret } from './service.ts';

export interface Instance {
  readonly process: ChildProcess;
  /** Of the management port; empty if it never became ready. */
  readonly url: string;
  readonly verifyUrl: string;
  /** Empty without EXT_AUTHZ_PORT. */
  readonly extAuthzUrl: string;
  /** Empty without METRICS_PORT. */
  readonly metricsUrl: string;
  /** All that it has written so far, to either stream. */
  readonly output: () => string;
  /** The exit code; null when a signal ended it. */
  readonly exit: Promise<number | null>;
  /** Ends it by SIGTERM, and returns the exit code. */
  readonly stop: () => Promise<number | null>;
}

interface BuiltOptions {
  /** Whether it writes to a terminal. */
  readonly terminal?: boolean;
  /** Of each process. */
  readonly maxOpenFiles?: number;
  /** Where `dist` is. */
  readonly root?: string;
  /** Starts the service in `root`. */
  readonly command?: string;
}

const startTimeoutMs = 180_000;
const started = new Set<ChildProcess>();

/** For afterEach: ends the processes that a test left running. Resolves when these have ended. */
export async function killInstances(): Promise<void> {
  const running = [...started].filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
  started.clear();
  await Promise.all(
    running.map(async (child) => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }),
  );
}

/**
 * Starts the service with this environment, and nothing else of the own one but the path to node. Resolves when it is
 * ready, which needs LOG_LEVEL `info`, or has ended.
 */
export async function startBuilt(
  environment: NodeJS.ProcessEnv,
  { terminal = false, maxOpenFiles, root = '.', command: run = 'node dist/main.js' }: BuiltOptions = {},
): Promise<Instance> {
  const limit = maxOpenFiles === undefined ? '' : `ulimit -n ${maxOpenFiles}; `;
  const start = `${limit}exec ${run}`;
  // `script` of util-linux gives it a terminal to write to.
  const [command, ...words] = terminal
    ? (['script', '--quiet', '--return', '--command', start, '/dev/null'] as const)
    : (['sh', '-c', start] as const);
  const child = spawn(command, words, {
    cwd: root,
    env: { PATH: process.env.PATH, PORT: '0', VERIFY_PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.add(child);
  let output = '';
  // Not 'exit', which may come before the last of the output.
  const exit = once(child, 'close').then(([code]: (number | null)[]) => {
    started.delete(child);
    return code ?? null;
  });
  let timer: NodeJS.Timeout | undefined;
  const ready = new Promise<void>((resolve, reject) => {
    timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`the service is not ready: ${output}`));
    }, startTimeoutMs);
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (part) => {
        output += String(part);
        if (readyLine(output) !== undefined) resolve();
      });
    }
  });
  await Promise.race([ready, exit]).finally(() => clearTimeout(timer));
  const { url = '', verifyUrl = '', extAuthzUrl = '', metricsUrl = '' } = JSON.parse(readyLine(output) ?? '{}');
  const stop = async () => {
    child.kill('SIGTERM');
    return await exit;
  };
  return { process: child, url, verifyUrl, extAuthzUrl, metricsUrl, output: () => output, exit, stop };
}

/** Returns the log line with the ports, once it is complete. */
function readyLine(output: string): string | undefined {
  return output
    .split('\n')
    .slice(0, -1)
    .find((line) => line.includes('"msg":"ready"'));
}

/** The same with a secret for session tokens. Throws if it does not start. */
export async function startInstance(environment: NodeJS.ProcessEnv, workers = 1, root = '.'): Promise<Instance> {
  // Not 0: processes that share a port get it from the supervisor by its number, also those that replace one.
  const ports = { PORT: String(await freePort()), VERIFY_PORT: String(await freePort()), WORKERS: String(workers) };
  const instance = await startBuilt(serviceEnvironment({ ...ports, ...environment }), { root });
  if (instance.url === '') throw new Error(`the service did not start: ${instance.output()}`);
  return instance;
}

interface CommandOutcome {
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

/** What every instance needs, besides the given variables. */
export function serviceEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    JWT_SECRET: jwtSecret,
    MANAGEMENT_RATE_LIMIT: '1000000',
    // Without the login of the developer.
    XDG_CONFIG_HOME: '/nonexistent',
    ...environment,
  };
}

/** Repeats a request until it returns the expected response. */
export async function until(what: string, isSo: () => Promise<boolean> | boolean, withinMs = 60_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
