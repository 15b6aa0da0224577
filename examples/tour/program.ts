/** The programs that an example consists of, as child processes that end with it. */
import { type ChildProcess, spawn } from 'node:child_process';

export interface ProgramOptions {
  readonly command: readonly [string, ...string[]];
  readonly environment?: Readonly<Record<string, string>>;
  /** What it prints when it is ready; absent if it prints nothing. */
  readonly readyText?: string;
}

const running = new Set<ChildProcess>();

/** Resolves when the program is ready. Its errors go to this terminal. */
export async function startProgram({
  command: [file, ...args],
  environment,
  readyText,
}: ProgramOptions): Promise<void> {
  const child = spawn(file, args, { env: { ...process.env, ...environment }, stdio: ['ignore', 'pipe', 'inherit'] });
  running.add(child);
  await new Promise<void>((resolve, reject) => {
    let output = '';
    child.once('error', ({ message }) => reject(new Error(`${file} can't be started: ${message}`)));
    child.once('exit', (code) => {
      running.delete(child);
      reject(new Error(`${file} ended with exit code ${code}`));
    });
    child.once('spawn', () => {
      if (readyText === undefined) resolve();
    });
    child.stdout.on('data', (chunk) => {
      output = `${output}${chunk}`.slice(-10_000);
      if (readyText !== undefined && output.includes(readyText)) resolve();
    });
  });
}

/** Resolves when all programs have ended. */
export async function stopPrograms(): Promise<void> {
  const ended = [...running].map((child) => {
    const exit = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    return exit;
  });
  await Promise.all(ended);
}
