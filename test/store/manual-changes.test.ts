// SECURITY.md: Who may do what
/** What an operator changes by hand, in SQL, while the service runs. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DatabaseProvider } from '../../src/lib/database-address.ts';
import { providers, theProvider } from '../support/databases.ts';
import { blockOf } from '../support/documents.ts';
import { type IssuedKey, type RunningGateway, startGateway } from '../support/gateway.ts';
import { rest } from '../support/service.ts';
import { runSql } from '../support/sql.ts';

let gateway: RunningGateway;
let key: IssuedKey;
let other: IssuedKey;

async function verify({ secret }: IssuedKey): Promise<{ code: string; keyId: string | null; name: string | null }> {
  return (await rest(gateway.url, null, 'POST', '/v1/verify', { key: secret })).body;
}

async function perform(sql: string): Promise<Record<string, unknown>[]> {
  const { database, service } = gateway.running;
  // On SQLite it blocks this process, also the transaction that it would wait for.
  await service.management.store.changes.idle();
  return await runSql(database.url, sql);
}

/** The statements of docs/tasks/operations.md, without their conditions. */
const [revokeOnPostgresql = '', revokeOnSqlite = ''] = blockOf('docs/tasks/operations.md', 'Changes in SQL')
  .split('\n')
  .map((line) => line.split(' WHERE ', 1)[0]);
const revoke: Record<DatabaseProvider, string> = { sqlite: revokeOnSqlite, postgresql: revokeOnPostgresql };

describe.each(providers)('on %s', (provider) => {
  beforeAll(async () => {
    gateway = await startGateway(provider);
  });
  afterAll(() => gateway.stop());
  beforeEach(async () => {
    key = await gateway.issue();
    other = await gateway.issue();
    expect([(await verify(key)).code, (await verify(other)).code]).toEqual(['VALID', 'VALID']);
  });

  const revisionOf = async ({ id }: IssuedKey) =>
    (await gateway.running.service.management.store.keys.find(id))?.revision ?? 0n;
  const current = async () => Number((await perform('SELECT "current" FROM "Revision"'))[0]?.current);

  it('a key that an operator revokes with an UPDATE is rejected by the next verification', async () => {
    const before = await revisionOf(key);
    await perform(`${revoke[provider]} WHERE "id" = '${key.id}'`);
    expect((await verify(key)).code).toBe('REVOKED');
    expect((await verify(other)).code).toBe('VALID');
    expect(await revisionOf(key)).toBeGreaterThan(before);
  });

  it('an UPDATE of any column is seen by the next verification, also of the digest and the id', async () => {
    await perform(`UPDATE "ApiKey" SET "name" = 'By hand' WHERE "id" = '${key.id}'`);
    expect(await verify(key)).toMatchObject({ code: 'VALID', name: 'By hand' });
    await perform(`UPDATE "ApiKey" SET "digest" = 'of nothing' || "digest" WHERE "id" = '${key.id}'`);
    expect((await verify(key)).code).toBe('NOT_FOUND');
    const id = randomUUID();
    await perform(`UPDATE "ApiKey" SET "id" = '${id}' WHERE "id" = '${other.id}'`);
    expect((await verify(other)).keyId).toBe(id);
  });

  it('an UPDATE that puts an old revision back is seen by the next verification', async () => {
    await perform(`UPDATE "ApiKey" SET "revision" = 0, "name" = 'Put back' WHERE "id" = '${key.id}'`);
    expect((await verify(key)).name).toBe('Put back');
  });

  it('an UPDATE of all keys gives each of them a revision of its own, and the service goes on behind them', async () => {
    const before = await current();
    await perform(revoke[provider]);
    expect([(await verify(key)).code, (await verify(other)).code]).toEqual(['REVOKED', 'REVOKED']);
    const [counts] = await perform(
      'SELECT count(*) AS keys, min("revision") AS least, max("revision") AS greatest FROM "ApiKey"',
    );
    expect(Number(counts?.keys)).toBeGreaterThan(1);
    expect(Number(counts?.least)).toBeGreaterThan(before);
    expect(Number(counts?.greatest)).toBeLessThanOrEqual(await current());
    const made = await gateway.issue();
    expect(await revisionOf(made)).toBeGreaterThan(BigInt(Number(counts?.greatest)));
    expect((await verify(made)).code).toBe('VALID');
  });

  it('a key that an operator deletes is unknown to the next verification', async () => {
    await perform(`DELETE FROM "ApiKey" WHERE "id" = '${key.id}'`);
    expect((await verify(key)).code).toBe('NOT_FOUND');
    expect((await verify(other)).code).toBe('VALID');
    await perform(provider === 'sqlite' ? 'DELETE FROM "ApiKey"' : 'TRUNCATE "ApiKey"');
    expect((await verify(other)).code).toBe('NOT_FOUND');
  });

  it('changes by the service take one revision each, and no cache is forgotten for them', async () => {
    const before = await current();
    const signing = await gateway.issueSigning();
    await gateway.revoke(signing.id);
    expect((await current()) - before).toBe(3);
  });
});

if (theProvider === 'postgresql') {
  describe('on postgresql', () => {
    beforeAll(async () => {
      gateway = await startGateway('postgresql');
    });
    afterAll(() => gateway.stop());

    it('an operator whose search path names another schema is seen too', async () => {
      key = await gateway.issue();
      expect((await verify(key)).code).toBe('VALID');
      await perform(`SET search_path = pg_catalog; UPDATE public."ApiKey" SET "name" = 'From elsewhere'`);
      expect((await verify(key)).name).toBe('From elsewhere');
      await perform('SET search_path = pg_catalog; DELETE FROM public."ApiKey"');
      expect((await verify(key)).code).toBe('NOT_FOUND');
    });
  });
}
