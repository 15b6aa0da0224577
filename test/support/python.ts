/** Python programs that use the client in `clients/python`. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { nextOutput } from './processes.ts';

const run = promisify(execFile);
const root = 'clients/python';
const environment = { PATH: process.env.PATH, PYTHONPATH: `src:.`, PYTHONDONTWRITEBYTECODE: '1' };

/**
 * Returns the first Python of at least 3.11 that has these modules; undefined if there is none. Debian's has its
 * packages, which one that comes first in PATH may lack.
 */
export async function pythonWith(...modules: readonly string[]): Promise<string | undefined> {
  const program = ['import sys; assert sys.version_info >= (3, 11)', ...modules.map((name) => `import ${name}`)];
  for (const python of ['python3', '/usr/bin/python3']) {
    const works = await run(python, ['-c', program.join('\n')]).then(
      () => true,
      () => false,
    );
    if (works) return python;
  }
  return undefined;
}

/** Runs a program where `latchkey` and its tests can be imported. Resolves to what it prints. */
export async function runPython(
  python: string,
  args: readonly string[],
  variables: NodeJS.ProcessEnv = {},
): Promise<string> {
  const options = { cwd: root, env: { ...environment, ...variables }, timeout: 220_000 };
  const { stdout, stderr } = await run(python, [...args], options).catch((error) => {
    throw new Error(`${error.stdout}${error.stderr}`);
  });
  return stdout + stderr;
}

/** Serves the `app` of a program. Resolves to its URL. */
export async function servePython(python: string, kind: 'asgi' | 'wsgi', file: string) {
  const args = ['-m', 'tests.serve', kind, file];
  const child: ChildProcess = spawn(python, args, {
    cwd: root,
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGKILL');
    await exit;
  };
  return { url: `http://127.0.0.1:${await nextOutput(child)}`, stop };
}
