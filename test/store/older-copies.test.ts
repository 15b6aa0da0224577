/** A backup of an earlier version can be checked, and compared with the database that it replaces. */
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { keyRing } from '../../src/domain/secret/key-ring.ts';
import { reversedKeys } from '../../src/store/rows/reversed-keys.ts';
import { problemsOfCopy } from '../../src/store/sqlite-copy.ts';
import { olderMigrations } from '../support/older-database.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-database.ts';

const scripts = olderMigrations('sqlite');
const at = '2026-01-01T00:00:00.000Z';

let directory: TemporaryDirectory;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => directory.remove());

type Changes = Readonly<Record<string, Readonly<Record<string, string | number | null>>>>;

/** Creates a database with the first migrations and five keys. Returns its path. */
function database(name: string, migrations: number, changes: Changes = {}): string {
  const path = join(directory.path, name);
  const sqlite = new Sqlite(path);
  sqlite.pragma('synchronous = OFF');
  sqlite.exec('CREATE TABLE "_prisma_migrations" (migration_name, checksum, rolled_back_at)');
  for (const { name: migration, sql, checksum } of scripts.slice(0, migrations)) {
    sqlite.exec(sql);
    sqlite.prepare('INSERT INTO "_prisma_migrations" VALUES (?, ?, NULL)').run(migration, checksum);
  }
  for (const [i, id] of ['disabled', 'kept', 'purged', 'revoked', 'rotated'].entries()) {
    if (id === 'purged' && name === 'replaced') continue;
    const settings = { id, teamId: 'team', name: id, env: 'live', prefix: id, allowedIps: '[]', searchText: id };
    const key = { ...settings, digest: id, pepperId: 'p', createdAt: at, revision: i + 1, ...changes[id] };
    const columns = Object.keys(key);
    const values = columns.map((column) => `@${column}`);
    sqlite.prepare(`INSERT INTO "ApiKey" ("${columns.join('", "')}") VALUES (${values})`).run(key);
  }
  sqlite.close();
  return path;
}

it.each(scripts.map((_, i) => i + 1))(
  'a backup with %i migrations is compared with a database that has all',
  async (count) => {
    const changes = { disabled: { disabledAt: at }, revoked: { revokedAt: at }, rotated: { digest: 'new' } };
    const replaced = database('replaced', scripts.length, changes);
    expect(await reversedKeys(database('restored', count), replaced)).toEqual({
      revoked: ['purged', 'revoked'],
      disabled: ['disabled'],
      rotated: ['rotated'],
    });
  },
);

it('a backup with all migrations is compared with a database that has only the first', async () => {
  const restored = database('restored', scripts.length, {
    disabled: { disabledAt: at },
    rotated: { previousExpiresAt: at },
  });
  const replaced = database('replaced', 1, { revoked: { revokedAt: at } });
  expect(await reversedKeys(restored, replaced)).toEqual({
    revoked: ['purged', 'revoked'],
    disabled: [],
    rotated: ['rotated'],
  });
});

it('a database that can’t be read has no result', async () => {
  const empty = join(directory.path, 'empty');
  new Sqlite(empty).exec('CREATE TABLE "Other" (x INTEGER)').close();
  expect(await reversedKeys(database('restored', scripts.length), empty)).toBeNull();
});

it.each([1, scripts.length])(
  'a backup with %i migrations, made with other secrets, is rejected with the id of the missing pepper',
  async (count) => {
    const copy = database('copy', count);
    new Sqlite(copy).exec(`INSERT INTO "RingKey" VALUES ('pepper', 'p', 'its fingerprint')`).close();
    const ring = keyRing([{ id: 'other', bytes: Buffer.alloc(32, 1) }]);
    expect(await problemsOfCopy(copy, { peppers: ring, signingKeks: ring })).toEqual([
      'pepper p is missing, and keys or management keys in the database still need it',
    ]);
  },
);
