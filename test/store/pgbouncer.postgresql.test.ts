/** Behind PgBouncer: what docs/tasks/scaling.md says about its pool modes. */
import pg from 'pg';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { examineStore } from '../../src/cli/operate/doctor/examine-store.ts';
import { readConfiguration } from '../../src/config/configuration.ts';
import { openStore } from '../../src/service/compose/open-store.ts';
import { inspectDatabase } from '../../src/store/migrate.ts';
import { Store } from '../../src/store/store.ts';
import { listen, type RunningGateway, startGatewayOn, stopListening, verifyAt } from '../support/gateway.ts';
import { until } from '../support/instance.ts';
import { hasPgbouncer, type PoolMode, startPgbouncer } from '../support/pgbouncer.ts';
import { query } from '../support/postgres.ts';
import { secondInstance } from '../support/service.ts';
import { postgresDatabase, type TemporaryDatabase } from '../support/temporary-database.ts';
import { useEverything } from '../support/use-everything.ts';

/** Starts a PgBouncer in front of a new database, which ends with the test. */
async function startPooler(poolMode: PoolMode, settings?: readonly string[]) {
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
  const pooler = await startPgbouncer(server, poolMode, settings);
  onTestFinished(async () => {
    await pooler.stop();
    await database.remove();
  });
  const behind: TemporaryDatabase = { ...database, url: pooler.url + name };
  return { database: behind, direct: database.url, setMode: pooler.setMode };
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

describe.skipIf(!hasPgbouncer)('behind PgBouncer', () => {
  it.each(['session', 'transaction'] as const)(
    'with pool_mode = %s and its defaults, everything works as on a direct connection',
    async (mode) => {
      const { database } = await startPooler(mode);
      const gateway = await startGatewayOn(database);
      onTestFinished(() => gateway.stop());
      await useEverything(gateway);
      const configuration = readConfiguration({ DATABASE_URL: database.url, DATA_DIR: database.directory });
      expect(await inspectDatabase(configuration.DATABASE_URL)).toMatchObject({ isNew: false, pending: [] });
    },
  );

  it('with pool_mode = statement, the start and doctor reject it', async () => {
    const { database } = await startPooler('statement');
    const configuration = readConfiguration({ DATABASE_URL: database.url, DATA_DIR: database.directory });
    const problem = /a pooler permits no transactions \(.*\): set pool_mode = transaction or session in PgBouncer/;
    await expect(openStore(configuration, { warn: () => undefined })).rejects.toThrow(problem);
    const { findings } = await examineStore(configuration);
    expect(findings).toEqual([{ what: 'store PostgreSQL', state: 'error', note: expect.stringMatching(problem) }]);
  });

  /** Keys that are verified at each port before and after they are revoked, ten at a time. */
  async function lifetimes(gateway: RunningGateway, urls: readonly string[]) {
    const codes = (key: string) =>
      Promise.all(urls.map(async (url) => String((await verifyAt(url, { key })).body.code)));
    const lifetime = async () => {
      const { id, secret } = await gateway.issue();
      const before = await codes(secret);
      await gateway.revoke(id);
      return { before, after: await codes(secret) };
    };
    return await Promise.all(Array.from({ length: 10 }, lifetime));
  }

  it('two instances that share the sessions of three connections accept each key until it is revoked, and never after', async () => {
    const { database } = await startPooler('transaction', ['default_pool_size = 3']);
    const gateway = await startGatewayOn(database);
    onTestFinished(() => gateway.stop());
    const other = await secondInstance(gateway.running);
    const otherUrl = await listen(other.gateway);
    onTestFinished(async () => {
      await stopListening(other.gateway);
      await other.close();
    });
    for (let round = 0; round < 5; round += 1) {
      for (const { before, after } of await lifetimes(gateway, [gateway.url, otherUrl])) {
        expect(before).toEqual(['VALID', 'VALID']);
        expect(after).toEqual(['REVOKED', 'REVOKED']);
      }
    }
  });

  it('each transaction has its own settings, and leaves none to the session that others get next', async () => {
    const { database } = await startPooler('transaction');
    const store = await Store.open({ provider: 'postgresql', url: database.url });
    onTestFinished(() => store.close());
    const names = ['statement_timeout', 'idle_in_transaction_session_timeout', 'lock_timeout', 'transaction_isolation'];
    const select = `SELECT ${names.map((name) => `current_setting('${name}') AS "${name}"`).join(', ')}`;
    const [inside] = await store.changes.housekeep((transaction) => transaction.$queryRawUnsafe<object[]>(select));
    expect(inside).toEqual({
      statement_timeout: '1350ms',
      idle_in_transaction_session_timeout: '1s',
      lock_timeout: '0',
      transaction_isolation: 'read committed',
    });
    const [after] = await query(database.url, select);
    expect(after).toMatchObject({ statement_timeout: '0', idle_in_transaction_session_timeout: '0' });
  });

  it('a revocation that was given up does not wait for its lock, which others may hold for long', async () => {
    const { database, direct } = await startPooler('transaction');
    const gateway = await startGatewayOn(database);
    onTestFinished(() => gateway.stop());
    const { id } = await gateway.issue();
    const holder = new pg.Client({ connectionString: direct });
    await holder.connect();
    onTestFinished(() => holder.end());
    await holder.query('BEGIN; SELECT * FROM "Revision" FOR UPDATE');
    await expect(gateway.revoke(id)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    const waiting = `SELECT query FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await expect.poll(async () => (await holder.query(waiting)).rows).toEqual([]);
    await holder.query('ROLLBACK');
    const { rows } = await holder.query('SELECT "revokedAt" FROM "ApiKey" WHERE "id" = $1', [id]);
    expect(rows).toEqual([{ revokedAt: null }]);
    await gateway.revoke(id);
  });

  it('set to pool_mode = transaction while a service runs, it goes on, and no revoked key is VALID', async () => {
    const { database, setMode } = await startPooler('session');
    const gateway = await startGatewayOn(database);
    onTestFinished(() => gateway.stop());
    setMode('transaction');
    await until('PgBouncer shares sessions', () => sharesSessions(database.url));
    for (const { before, after } of await lifetimes(gateway, [gateway.url])) {
      expect(before).toEqual(['VALID']);
      expect(after).toEqual(['REVOKED']);
    }
  });
});
