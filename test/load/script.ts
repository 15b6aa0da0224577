/** A program of the repository that a load program runs beside itself. It prints a line when it is ready. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { nextOutput } from '../support/processes.ts';

export interface Script {
  readonly pid: number;
  /** What it printed when it was ready. */
  readonly printed: string;
  readonly nextLine: () => Promise<string>;
  readonly stop: () => Promise<void>;
}

export async function startScript(
  args: readonly string[],
  { input = '', environment = {} }: { readonly input?: string; readonly environment?: NodeJS.ProcessEnv } = {},
): Promise<Script> {
  const env = { PATH: process.env.PATH, ...environment };
  const child = spawn('node', args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  child.stdin.end(input);
  const nextLine = () => nextOutput(child);
  return {
    pid: child.pid ?? 0,
    printed: await nextLine(),
    nextLine,
    stop: async () => {
      if (child.exitCode === null) child.kill('SIGTERM');
      await exit;
    },
  };
}
