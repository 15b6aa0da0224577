/**
 * A PostgreSQL of the system's own, for its tools: the one from npm comes without pg_dump, and an older pg_dump rejects
 * a newer server.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from './embedded-postgres.ts';
import { until } from './instance.ts';

const programs = ['initdb', 'postgres', 'pg_dump', 'pg_restore', 'pg_basebackup'];

/** The directory of its programs; null where it is not installed. */
export function findPostgresPrograms(): string | null {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const candidates = [...versions.map((version) => join(debian, version, 'bin')), '/usr/bin', '/usr/local/bin'];
  return candidates.find((directory) => programs.every((name) => existsSync(join(directory, name)))) ?? null;
}

export interface SystemPostgres {
  /** Append `/name` for a database. */
  readonly url: string;
  readonly createDatabase: (name: string) => Promise<string>;
  /** Runs one of its programs. Throws with its output if it fails. */
  readonly run: (program: string, args: readonly string[]) => Promise<void>;
  /** A standby that follows by streaming replication; its URL. */
  readonly startStandby: () => Promise<string>;
  /** With the standbys. */
  readonly stop: () => Promise<void>;
}

export async function startSystemPostgres(directory: string): Promise<SystemPostgres> {
  const { run, newDirectory, start, stop } = launcher(directory);
  const data = newDirectory();
  const initdb = ['-D', data, '-U', 'latchkey', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  await run('initdb', initdb, serverUser());
  const url = await start(data);
  return {
    url,
    createDatabase: async (name) => {
      await query(`${url}/postgres`, `CREATE DATABASE ${name}`);
      return `${url}/${name}`;
    },
    run,
    startStandby: async () => {
      const copy = newDirectory();
      const from = ['-d', `${url}/postgres`, '--checkpoint=fast'];
      await run('pg_basebackup', ['-D', copy, '-R', '--no-sync', ...from], serverUser());
      return await start(copy);
    },
    stop,
  };
}

/** Runs programs of one installation, and stops all servers that it has started. */
function launcher(directory: string) {
  const servers: ChildProcess[] = [];
  const directories: string[] = [];
  const run = (program: string, args: readonly string[], as: object = {}) =>
    new Promise<void>((resolve, reject) => {
      execFile(join(directory, program), args, { cwd: '/', ...as }, (error, _, stderr) =>
        error === null ? resolve() : reject(new Error(`${program}: ${stderr}`)),
      );
    });
  const newDirectory = () => {
    const data = mkdtempSync(join(tmpdir(), 'latchkey-postgres-'));
    const { uid, gid } = serverUser();
    if (uid !== undefined) chownSync(data, uid, gid ?? uid);
    chmodSync(data, 0o700);
    directories.push(data);
    return data;
  };
  const stop = async () => {
    for (const server of servers) await end(server);
    for (const data of directories) rmSync(data, { recursive: true, force: true });
  };
  const start = async (data: string): Promise<string> => {
    const port = await freePort();
    const args = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', '', '-c', 'fsync=off'];
    servers.push(spawn(join(directory, 'postgres'), args, { cwd: '/', stdio: 'ignore', ...serverUser() }));
    const url = `postgresql://latchkey@127.0.0.1:${port}`;
    await until('PostgreSQL answers', () => answers(url), 20_000).catch((error) =>
      stop().then(() => Promise.reject(error)),
    );
    return url;
  };
  return { run, newDirectory, start, stop };
}

async function answers(url: string): Promise<boolean> {
  return await query(`${url}/postgres`, 'SELECT 1').then(
    () => true,
    () => false,
  );
}

export async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** PostgreSQL does not run as root. */
function serverUser(): { uid?: number; gid?: number } {
  if (userInfo().uid !== 0) return {};
  const [, uid = '65534', gid = '65534'] =
    /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8')) ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exit = once(server, 'exit');
  // Immediately, because its data is not kept.
  server.kill('SIGQUIT');
  await exit;
}
