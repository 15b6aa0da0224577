/** Behind PgBouncer: what docs/tasks/scaling.md says about its pool modes. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { examineStore } from '../../src/cli/operate/doctor/examine-store.ts';
import { readConfiguration } from '../../src/config/configuration.ts';
import { openStore } from '../../src/service/compose/open-store.ts';
import { freePort } from '../support/free-port.ts';
import { startGatewayOn, verifyAt } from '../support/gateway.ts';
import { until } from '../support/instance.ts';
import { query } from '../support/postgres.ts';
import { postgresDatabase, type TemporaryDatabase } from '../support/temporary-database.ts';
import { useEverything } from '../support/use-everything.ts';

const program = '/usr/sbin/pgbouncer';
const isInstalled = (() => {
  try {
    return execFileSync(program, ['--version']).length > 0;
  } catch {
    return false;
  }
})();
if (!isInstalled) console.warn(`skipped: ${program} is not installed`);

type PoolMode = 'session' | 'transaction' | 'statement';

/** Starts a PgBouncer with its defaults in front of a new database, which ends with the test. */
async function startPooler(poolMode: PoolMode) {
  const server = inject('postgresUrl');
  const database = await postgresDatabase(server);
  const name = new URL(database.url).pathname;
  // None of them may reach the sessions of the service.
  for (const setting of [
    "DateStyle = 'German'",
    "default_transaction_isolation = 'serializable'",
    "lock_timeout = '1ms'",
  ])
    await query(`${server}/postgres`, `ALTER DATABASE ${name.slice(1)} SET ${setting}`);
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-pgbouncer-'));
  chmodSync(directory, 0o755);
  const port = await freePort();
  const ini = join(directory, 'pgbouncer.ini');
  const write = (mode: PoolMode) =>
    writeFileSync(
      ini,
      `[databases]
* = host=127.0.0.1 port=${new URL(server).port} user=latchkey password=latchkey
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
`,
    );
  write(poolMode);
  // It refuses to run as root.
  const asUser = userInfo().uid === 0 ? ['-u', 'nobody'] : [];
  const pooler = spawn(program, [...asUser, ini], { stdio: 'ignore' });
  const exit = once(pooler, 'exit');
  onTestFinished(async () => {
    pooler.kill('SIGKILL');
    await exit;
    rmSync(directory, { recursive: true });
    await database.remove();
  });
  const url = `postgresql://latchkey@127.0.0.1:${port}${name}`;
  await until('PgBouncer answers', () =>
    query(url, 'SELECT 1').then(
      () => true,
      () => false,
    ),
  );
  const behind: TemporaryDatabase = { ...database, url };
  return {
    database: behind,
    /** Reads its configuration again, without closing connections. */
    setMode: (mode: PoolMode) => {
      write(mode);
      pooler.kill('SIGHUP');
    },
  };
}

/** Returns whether two open connections have the same session of the server, one after the other. */
async function sharesSessions(url: string): Promise<boolean> {
  const clients = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })];
  const pids = [];
  for (const client of clients) {
    await client.connect();
    pids.push((await client.query('SELECT pg_backend_pid() AS pid')).rows[0].pid);
  }
  for (const client of clients) await client.end();
  return pids[0] === pids[1];
}

describe.skipIf(!isInstalled)('behind PgBouncer', () => {
  it('with pool_mode = session and its defaults, everything works as on a direct connection', async () => {
    const { database } = await startPooler('session');
    const gateway = await startGatewayOn(database);
    onTestFinished(() => gateway.stop());
    await useEverything(gateway);
  });

  it.each(['transaction', 'statement'] as const)(
    'with pool_mode = %s, the start and doctor reject it',
    async (mode) => {
      const { database } = await startPooler(mode);
      const configuration = readConfiguration({ DATABASE_URL: database.url, DATA_DIR: database.directory });
      const problem = /a pooler shares connections .*: set pool_mode = session in PgBouncer/;
      await expect(openStore(configuration, { warn: () => undefined })).rejects.toThrow(problem);
      const { findings } = await examineStore(configuration);
      expect(findings).toEqual([{ what: 'store PostgreSQL', state: 'error', note: expect.stringMatching(problem) }]);
    },
  );

  it('set to pool_mode = transaction while a service runs, a revoked key is rejected or gets 503, but is never VALID', async () => {
    const { database, setMode } = await startPooler('session');
    const gateway = await startGatewayOn(database);
    onTestFinished(() => gateway.stop());
    setMode('transaction');
    await until('PgBouncer shares sessions', () => sharesSessions(database.url));
    const code = async (key: string) => (await verifyAt(gateway.url, { key })).body.code;
    const lifetime = async () => {
      const { id, secret } = await gateway.issue();
      const before = await code(secret);
      await gateway.revoke(id);
      return [before, await code(secret)];
    };
    const lifetimes = await Promise.all(Array.from({ length: 10 }, lifetime));
    for (const [before, after] of lifetimes) {
      expect(['VALID', 'UNAVAILABLE']).toContain(before);
      expect(['REVOKED', 'UNAVAILABLE']).toContain(after);
    }
  });
});
