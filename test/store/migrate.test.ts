/** Start-up migrations: all or nothing, once with concurrent starts, and never on a foreign database. */
import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfiguration } from '../../src/config/configuration.ts';
import { dayMs, startOfDay } from '../../src/domain/moment.ts';
import { keyRing } from '../../src/domain/secret/key-ring.ts';
import { digestsOf } from '../../src/domain/secret/secret-digest.ts';
import type { DatabaseProvider } from '../../src/lib/database-address.ts';
import { storedDate } from '../../src/store/json-rows.ts';
import { migrate } from '../../src/store/migrate.ts';
import { Store } from '../../src/store/store.ts';
import { providers, temporaryDatabase } from '../support/databases.ts';
import { listen, stopListening } from '../support/gateway.ts';
import { foreignSecret } from '../support/imports.ts';
import { until } from '../support/instance.ts';
import { migrateAsBefore, olderMigrations } from '../support/older-database.ts';
import { dumpRows, dumpSchema } from '../support/schema-dump.ts';
import { rest, serviceOn } from '../support/service.ts';
import { runSql } from '../support/sql.ts';

const noonToday = startOfDay(new Date()).getTime() + dayMs / 2;
const run = promisify(execFile);
const bookkeeping = 'SELECT migration_name, checksum, finished_at, applied_steps_count FROM "_prisma_migrations"';

async function emptyDatabase(provider: DatabaseProvider) {
  const database = await temporaryDatabase(provider);
  onTestFinished(database.remove);
  const { url } = database;
  return { database, url, address: readConfiguration({ DATABASE_URL: url }).DATABASE_URL };
}

async function insert(url: string, table: string, row: Readonly<Record<string, string | number>>): Promise<void> {
  const names = Object.keys(row).map((name) => `"${name}"`);
  const values = Object.values(row).map((value) => `'${value}'`);
  await runSql(url, `INSERT INTO "${table}" (${names.join(', ')}) VALUES (${values.join(', ')})`);
}

describe.each(providers)('on %s', (provider) => {
  it('an empty database gets the whole model, and a second start finds nothing to do', async () => {
    const { address, url } = await emptyDatabase(provider);
    await migrate(address);
    const first = await runSql(url, bookkeeping);
    expect(first.length).toBeGreaterThan(0);
    expect(
      first.every(({ finished_at, applied_steps_count }) => finished_at !== null && Number(applied_steps_count) === 1),
    ).toBe(true);
    await migrate(address);
    expect(await runSql(url, bookkeeping)).toEqual(first);
    expect((await runSql(url, 'SELECT current FROM "Revision"')).map(({ current }) => Number(current))).toEqual([0]);
  });

  it('the days of keys that were counted before there was a table of days are added up from their hours', async () => {
    const { address, url } = await emptyDatabase(provider);
    await migrateAsBefore(provider, url, '_usage_days');
    const hours = [0, 3, 24, 24 * 60].map((hoursAgo) => new Date(noonToday - hoursAgo * 3_600_000));
    const rows = hours.map((hour, i) => `('key', '${storedDate(hour)}', 'VALID', ${2 ** i})`);
    await runSql(url, `INSERT INTO "UsageHour" ("keyId", "hour", "code", "count") VALUES ${rows.join(', ')}`);
    await migrate(address);
    const store = await Store.open(address);
    onTestFinished(() => store.close());
    const days = await store.usage.daily(['key'], new Date(noonToday - 90 * dayMs));
    const today = noonToday - dayMs / 2;
    expect(days.get('key')).toEqual(
      new Map([
        [today, 3],
        [today - dayMs, 4],
      ]),
    );
  });

  describe('a database of a version that let several teams import one key', () => {
    const now = storedDate(new Date());
    const databaseWith = async (keys: readonly Readonly<Record<string, string>>[]) => {
      const { database, address, url } = await emptyDatabase(provider);
      await migrateAsBefore(provider, url, '_first_imports');
      for (const [i, key] of keys.entries()) {
        const plain = {
          teamId: `team of ${key.id}`,
          digest: `digest of ${key.id}`,
          name: 'Old',
          env: 'live',
          prefix: 'p',
        };
        const times = { createdAt: now, revision: i + 1, importRevision: i + 1 };
        await insert(url, 'ApiKey', {
          ...plain,
          pepperId: 'pepper',
          allowedIps: '[]',
          searchText: 'old',
          ...times,
          ...key,
        });
      }
      await runSql(url, `UPDATE "Revision" SET "current" = ${keys.length}, "imports" = true`);
      return { database, address, url };
    };
    const pair = /a of team team of a and b of team team of b.*its command release-key/;

    it.each<[string, string]>([
      ['has two keys with one digest', `UPDATE "ApiKey" SET "digest" = 'same'`],
      [
        'has a key with an earlier digest of another',
        `INSERT INTO "RotatedSecret" ("digest", "keyId", "teamId", "version", "prefix", "pepperId", "rotatedAt")
          VALUES ('digest of b', 'a', 'team of a', 1, 'p', 'pepper', '${now}')`,
      ],
      ['has met a conflict of two digests', `INSERT INTO "KeyConflict" VALUES ('a', 'b', '${now}')`],
    ])('is not migrated if it %s, until one of them is released', async (_, sql) => {
      const { address, url } = await databaseWith([{ id: 'a' }, { id: 'b' }]);
      await runSql(url, sql);
      await expect(migrate(address)).rejects.toThrow(pair);
      await expect(migrate(address)).rejects.toThrow(pair);
      await runSql(url, `UPDATE "ApiKey" SET "digest" = 'released a' WHERE "id" = 'a'`);
      await migrate(address);
    });

    it.each([
      [6, 15, false],
      [7, 20, true],
    ])('tells which of %i keys have one digest: %i pairs, and whether there are more', async (keys, named, hasMore) => {
      const { address, url } = await databaseWith(Array.from({ length: keys }, (_, i) => ({ id: `key${i}` })));
      await runSql(url, `UPDATE "ApiKey" SET "digest" = 'same'`);
      const problem = await migrate(address).catch(String);
      expect(problem?.match(/key\d of team \S+ \S+ key\d and key\d of/g)).toHaveLength(named);
      expect(problem?.includes('; and more. ')).toBe(hasMore);
    });

    it('accepts nothing that it rejected: a revoked import, then a rotated one, come before the earlier ones', async () => {
      const { address, url } = await databaseWith([
        { id: 'earliest' },
        { id: 'rotated', secretVersion: '2' },
        { id: 'revoked', revokedAt: now },
        { id: 'latest' },
      ]);
      await migrate(address);
      const rows = await runSql(url, 'SELECT "id" FROM "ApiKey" ORDER BY "importRevision"');
      expect(rows.map(({ id }) => id)).toEqual(['revoked', 'rotated', 'earliest', 'latest']);
    });

    const [earlier, later, team, otherTeam] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];

    it.each([
      ['by two teams', otherTeam, {}, 'MALFORMED', undefined],
      ['by two teams, the later of which revoked it', otherTeam, { revokedAt: now }, 'REVOKED', later],
      ['twice by one team', team, {}, 'VALID', earlier],
      ['twice by one team, which revoked the later one', team, { revokedAt: now }, 'REVOKED', later],
    ])(
      'accepts no more than before of a key imported by two digests, which no verification has met: %s',
      async (_, teamId, more, code, keyId) => {
        const secret = foreignSecret();
        const pepper = { id: 'pepper', bytes: randomBytes(32) };
        const [sha256 = '', sha512 = ''] = digestsOf(secret, keyRing([pepper]));
        const { database } = await databaseWith([
          { id: earlier, teamId: team, digest: sha256 },
          { id: later, teamId, digest: sha512, ...more },
        ]);
        const KEY_PEPPERS = `${pepper.id}:${pepper.bytes.toString('base64')}`;
        const { service, stop } = await serviceOn(database, { KEY_PEPPERS });
        const gateway = await listen(service.gateway);
        onTestFinished(async () => {
          await stopListening(service.gateway);
          await stop();
        });
        const { body } = await rest(gateway, null, 'POST', '/v1/verify', { key: secret });
        expect([body.code, body.keyId ?? undefined]).toEqual([code, keyId]);
      },
    );
  });

  it('a database of any version before 0.2.0 gets the schema and the rows of a new one, keeps its rows of migrations, and gets that of init', async () => {
    const fresh = await emptyDatabase(provider);
    await migrate(fresh.address);
    const schema = await dumpSchema(fresh.url);
    expect(schema.length).toBeGreaterThan(50);
    const rows = await dumpRows(fresh.url);
    expect(rows).toHaveProperty('EventWorker');
    const all = olderMigrations(provider).map(({ name }) => name);
    const added = (await runSql(fresh.url, bookkeeping)).map(({ migration_name }) => migration_name);
    for (const [i] of all.entries()) {
      const { address, url } = await emptyDatabase(provider);
      await migrateAsBefore(provider, url, i + 1);
      await migrate(address);
      expect(await dumpSchema(url)).toEqual(schema);
      expect(await dumpRows(url)).toEqual(rows);
      const names = (await runSql(url, bookkeeping)).map(({ migration_name }) => migration_name);
      expect(names.toSorted()).toEqual([...all, ...added].toSorted());
      await migrate(address);
      expect(await runSql(url, bookkeeping)).toHaveLength(names.length);
    }
  });

  it('a database of a version before 0.2.0 whose migrations are others is rejected', async () => {
    for (const [column, value, problem] of [
      ['checksum', 'other', /was changed after it had been applied/],
      ['migration_name', '20261121092306_other', /which this version does not know/],
    ] as const) {
      const { address, url } = await emptyDatabase(provider);
      await migrateAsBefore(provider, url, 3);
      await runSql(
        url,
        `UPDATE "_prisma_migrations" SET ${column} = '${value}' WHERE migration_name LIKE '%_usage_hours'`,
      );
      await expect(migrate(address)).rejects.toThrow(problem);
      expect(await runSql(url, bookkeeping)).toHaveLength(3);
    }
  });

  it.each(['an empty', 'an older'])(
    'several processes that start at the same time on %s database all start, and the migrations run once',
    async (version) => {
      const { address, url } = await emptyDatabase(provider);
      if (version === 'an older') await migrateAsBefore(provider, url, 14);
      const script = `import('./src/store/migrate.ts').then(({ migrate }) => migrate(${JSON.stringify(address)}))`;
      await Promise.all(Array.from({ length: 4 }, () => run(process.execPath, ['-e', script])));
      const names = (await runSql(url, bookkeeping)).map(({ migration_name }) => migration_name);
      expect(names.length).toBeGreaterThan(0);
      expect(new Set(names).size).toBe(names.length);
    },
  );

  it('one that breaks off leaves nothing behind, and the next start does it all', async () => {
    const { address, url } = await emptyDatabase(provider);
    // A table of that name makes the last part of the script fail.
    await runSql(url, 'CREATE TABLE "RingKey" (x INTEGER)');
    await expect(migrate(address)).rejects.toThrow(/RingKey/);
    await expect(runSql(url, 'SELECT 1 FROM "ApiKey"')).rejects.toThrow();
    await runSql(url, 'DROP TABLE "RingKey"');
    await migrate(address);
    expect(await runSql(url, 'SELECT 1 FROM "ApiKey"')).toEqual([]);
  });

  it('one of an older database that breaks off leaves it as it was, and the next start does it all', async () => {
    const { address, url } = await emptyDatabase(provider);
    await migrateAsBefore(provider, url, 14);
    const before = [await dumpSchema(url), await runSql(url, bookkeeping)];
    // The last table that these migrations make.
    await runSql(url, 'CREATE TABLE "LeakPolicy" (x INTEGER)');
    await expect(migrate(address)).rejects.toThrow(/LeakPolicy/);
    await runSql(url, 'DROP TABLE "LeakPolicy"');
    expect([await dumpSchema(url), await runSql(url, bookkeeping)]).toEqual(before);
    await migrate(address);
  });

  it('a database that a newer version has taken further is rejected', async () => {
    const { address, url } = await emptyDatabase(provider);
    await migrate(address);
    await runSql(url, `UPDATE "_prisma_migrations" SET migration_name = '99990101000000_future'`);
    await expect(migrate(address)).rejects.toThrow(
      /99990101000000_future, which this version does not know: start the newer version/,
    );
  });

  it('a migration that was changed after it had been applied is rejected', async () => {
    const { address, url } = await emptyDatabase(provider);
    await migrate(address);
    await runSql(url, `UPDATE "_prisma_migrations" SET checksum = 'other'`);
    await expect(migrate(address)).rejects.toThrow(/was changed after it had been applied/);
  });
});

it.runIf(providers.includes('postgresql'))(
  'a migration that has to wait for a long read of a table, as by a backup, lets others read it meanwhile',
  async () => {
    const { address, url } = await emptyDatabase('postgresql');
    await migrateAsBefore('postgresql', url, '_name_order');
    const backup = new pg.Client({ connectionString: url });
    await backup.connect();
    onTestFinished(() => backup.end());
    await backup.query('BEGIN; LOCK TABLE "ApiKey" IN ACCESS SHARE MODE');
    const migrated = migrate(address);
    const waiting = `SELECT 1 FROM pg_locks WHERE NOT granted AND database = (
      SELECT oid FROM pg_database WHERE datname = current_database())`;
    await until('the migration waits', async () => (await runSql(url, waiting)).length > 0);
    expect(await runSql(url, 'SELECT "id" FROM "ApiKey"')).toEqual([]);
    await backup.query('COMMIT');
    await migrated;
    expect(await runSql(url, `${bookkeeping} WHERE migration_name LIKE '%_name_order'`)).toHaveLength(1);
  },
);

it('both databases have the same migrations, and they lead to the present data model', async () => {
  const { stdout } = await run(process.execPath, ['prisma/next-migration.ts', '--check']);
  expect(stdout).toContain('the migrations are up to date with the data model');
});
