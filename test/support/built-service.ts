/** The built service as a process of its own, on ports that are free: what an operator starts. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

export interface BuiltService {
  readonly process: ChildProcess;
  /** Empty if it never became ready. */
  readonly url: string;
  readonly verifyUrl: string;
  /** Empty without METRICS_PORT. */
  readonly metricsUrl: string;
  /** All that it has written so far, to either stream. */
  readonly output: () => string;
  readonly exit: Promise<number | null>;
}

export interface BuiltOptions {
  /** Whether it writes to a terminal. */
  readonly terminal?: boolean;
  /** Of each process. */
  readonly maxOpenFiles?: number;
  /** Where `dist` is. */
  readonly root?: string;
  /** Starts the service in `root`. */
  readonly command?: string;
}

const startedWithinMs = 60_000;

/**
 * Resolves when it is ready (which needs LOG_LEVEL `info`) or has ended. It inherits nothing of this
 * environment but the path to node.
 */
export async function startBuilt(
  environment: NodeJS.ProcessEnv,
  { terminal = false, maxOpenFiles, root = '.', command: run = 'node dist/main.js' }: BuiltOptions = {},
): Promise<BuiltService> {
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
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += String(chunk);
    });
  }
  // Not 'exit', which may come before the last of the output.
  const exit = once(child, 'close').then(([code]: (number | null)[]) => code ?? null);
  let timer: NodeJS.Timeout | undefined;
  const ready = new Promise<void>((resolve, reject) => {
    timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`the service is not ready: ${output}`));
    }, startedWithinMs);
    child.stdout.on('data', function look() {
      if (readyLine(output) === undefined) return;
      child.stdout.off('data', look);
      resolve();
    });
  });
  await Promise.race([ready, exit]).finally(() => clearTimeout(timer));
  const { url = '', verifyUrl = '', metricsUrl = '' } = JSON.parse(readyLine(output) ?? '{}');
  return { process: child, url, verifyUrl, metricsUrl, output: () => output, exit };
}

/** Returns the log line with the ports, once it is complete. */
function readyLine(output: string): string | undefined {
  return output
    .split('\n')
    .slice(0, -1)
    .find((line) => line.includes('"msg":"ready"'));
}

/** Stops it, and waits for open requests. */
export async function stopBuilt({ process: child, exit }: BuiltService): Promise<number | null> {
  child.kill('SIGTERM');
  return await exit;
}
