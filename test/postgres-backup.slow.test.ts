/** PostgreSQL's own two commands, as docs/tasks/backup.md names them, are a backup and a restore of Latchkey. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { migrate } from '../src/store/migrate.ts';
import { enableSigning, makeKey, token, verdictOn, verifyBody, whileKeysChange } from './support/calls.ts';
import { killInstances, startInstance, until } from './support/instance.ts';
import { migrateAsBefore } from './support/older-database.ts';
import { findPostgresPrograms, query, type SystemPostgres, startSystemPostgres } from './support/postgres.ts';
import { rest } from './support/service.ts';
import { temporaryDirectory } from './support/temporary-database.ts';

const programs = findPostgresPrograms();
if (programs === null) console.warn('skipped: no PostgreSQL with initdb, pg_dump and pg_restore is installed');

describe.skipIf(programs === null)('pg_dump and pg_restore', () => {
  let postgres: SystemPostgres;
  const directory = temporaryDirectory().path;
  const dump = join(directory, 'latchkey.dump');

  beforeAll(async () => {
    postgres = await startSystemPostgres(programs ?? '');
  });
  afterEach(killInstances);
  afterAll(async () => {
    await postgres?.stop();
  });

  it('a dump made under changes, restored elsewhere: keys verify, signing works, the audit trail is whole', async () => {
    const DATABASE_URL = await postgres.createDatabase('latchkey');
    const service = await startInstance({ DATABASE_URL, DATA_DIR: directory });
    const [plain, signing] = [await makeKey(service), await makeKey(service)];
    const signingSecret = await enableSigning(service, signing);
    const dumped = `--file=${dump}`;
    const { before } = await whileKeysChange(service, () =>
      postgres.run('pg_dump', ['--format=custom', dumped, DATABASE_URL]),
    );
    await service.stop();

    const restoredUrl = await postgres.createDatabase('restored');
    await postgres.run('pg_restore', ['--exit-on-error', '--no-owner', `--dbname=${restoredUrl}`, dump]);
    const restored = await startInstance({ DATABASE_URL: restoredUrl, DATA_DIR: directory });
    expect(await verdictOn(restored, await verifyBody(plain))).toBe('VALID');
    expect(await verdictOn(restored, await verifyBody(signing, signingSecret))).toBe('VALID');
    for (const key of before) expect(await verdictOn(restored, await verifyBody(key))).toBe('REVOKED');
    expect(await verdictOn(restored, await verifyBody(await makeKey(restored)))).toBe('VALID');
    await restored.stop();
    const created = `SELECT 1 FROM "AuditEntry" e WHERE e."keyId" = k."id" AND e."action" = 'KEY_CREATED'`;
    const last = 'SELECT 1 FROM "AuditEntry" e WHERE e."revision" = k."revision"';
    const broken = `SELECT k."id" FROM "ApiKey" k WHERE NOT EXISTS (${created}) OR NOT EXISTS (${last})`;
    expect(await query(restoredUrl, broken)).toEqual([]);
    const ahead = 'SELECT 1 FROM "AuditEntry" WHERE "revision" > (SELECT "current" FROM "Revision")';
    expect(await query(restoredUrl, ahead)).toEqual([]);
  });

  it('a database of a version before 0.2.0 has the dump of a new one after its upgrade', async () => {
    const schemaOf = async (name: string, first: number) => {
      const url = await postgres.createDatabase(name);
      if (first > 0) await migrateAsBefore('postgresql', url, first);
      await migrate({ provider: 'postgresql', url });
      const file = join(directory, `${name}.sql`);
      await postgres.run('pg_dump', ['--schema-only', '--exclude-table=_prisma_migrations', `--file=${file}`, url]);
      // Each dump has a random word in two lines.
      return readFileSync(file, 'utf8').replaceAll(/^\\(?:un)?restrict .*$/gm, '');
    };
    const fresh = await schemaOf('fresh', 0);
    expect(fresh).toContain('CREATE TRIGGER');
    for (const first of [1, 14, 20]) expect(await schemaOf(`upgraded_${first}`, first)).toBe(fresh);
  });

  it('an instance that was not stopped believes nothing of what came after the dump', async () => {
    const DATABASE_URL = await postgres.createDatabase('running');
    const service = await startInstance({ DATABASE_URL, DATA_DIR: directory });
    const kept = await makeKey(service);
    await postgres.run('pg_dump', ['--format=custom', `--file=${dump}`, DATABASE_URL]);
    await rest(service.url, token, 'DELETE', `/v1/keys/${kept.id}`);
    const later = await makeKey(service);
    expect(await verdictOn(service, await verifyBody(kept))).toBe('REVOKED');
    expect(await verdictOn(service, await verifyBody(later))).toBe('VALID');
    const flags = ['--clean', '--if-exists', '--single-transaction', '--no-owner'];
    // It locks tables in another order than the service, which must be the one that PostgreSQL ends then.
    const patient = '?options=-c%20deadlock_timeout%3D10s';
    await postgres.run('pg_restore', [...flags, `--dbname=${DATABASE_URL}${patient}`, dump]);
    // As many changes as were lost, and more, before the instance looks again.
    for (let i = 0; i < 3; i += 1) await makeKey(service);
    // Its prepared statements are of types that are gone: once it says that it can't tell, and then asks anew.
    let verdict: string | undefined;
    await until('an answer', async () => {
      verdict = await verdictOn(service, await verifyBody(later)).catch(() => undefined);
      return verdict !== undefined;
    });
    expect(verdict).toBe('NOT_FOUND');
    expect(await verdictOn(service, await verifyBody(kept))).toBe('VALID');
    expect(await service.stop()).toBe(0);
  });
});
