/** The built service as an instance that a test sends signals to, and its commands. */
import { type ChildProcess, execFile } from 'node:child_process';
import { type BuiltService, startBuilt, stopBuilt } from './built-service.ts';
import { freePort } from './embedded-postgres.ts';
import { jwtSecret } from './service.ts';

export interface Instance extends BuiltService {
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
  // Not 0: processes that share a port get it from the supervisor by its number, also those that replace one.
  const [PORT, VERIFY_PORT] = [String(await freePort()), String(await freePort())];
  const env = serviceEnvironment({ PORT, VERIFY_PORT, WORKERS: String(workers), ...environment });
  const built = await startBuilt(env, { root: directory });
  if (built.url === '') throw new Error(`the service did not start: ${built.output()}`);
  started.add(built.process);
  return { ...built, stop: () => stopBuilt(built) };
}

/** For afterEach: ends the processes that a test left running. Resolves when these have ended. */
export async function killInstances(): Promise<void> {
  const running = [...started].filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
  started.clear();
  await Promise.all(
    running.map(async (child) => {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    }),
  );
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

/** What every instance needs, besides the given variables. */
export function serviceEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
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
