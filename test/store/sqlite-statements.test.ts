/** Prisma's connections to SQLite prepare each statement once. */
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { readConfiguration } from '../../src/config/configuration.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { Prisma, type PrismaClient } from '../../src/store/generated/sqlite/client.ts';
import { migrate } from '../../src/store/migrate.ts';
import { temporaryDatabase } from '../support/databases.ts';
import { addManyKeys } from '../support/many-keys.ts';
import type { TemporaryDatabase } from '../support/temporary-database.ts';

let temporary: TemporaryDatabase;
let database: Database;
const prepared: string[] = [];

beforeEach(async () => {
  temporary = await temporaryDatabase('sqlite');
  const { DATABASE_URL } = readConfiguration({ DATABASE_URL: temporary.url });
  await migrate(DATABASE_URL);
  const { prepare } = Sqlite.prototype;
  vi.spyOn(Sqlite.prototype, 'prepare').mockImplementation(function (this: Sqlite.Database, sql: string) {
    prepared.push(sql);
    return prepare.call(this, sql);
  });
  database = await openDatabase(DATABASE_URL);
  prepared.splice(0);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await database.close();
  await temporary.remove();
});

const sameTeam = (name: string) => ({ where: { teamId: name }, create: { teamId: name, policy: 'ALERT' }, update: {} });

it('a transaction whose statements ran before prepares nothing, and each run has its own parameters', async () => {
  const record = (team: string) =>
    database.writer.$transaction(async (client) => {
      await client.revision.update({ where: { id: 1 }, data: { current: { increment: 1 } } });
      await client.leakPolicy.upsert(sameTeam(team));
      return await client.leakPolicy.findUnique({ where: { teamId: team } });
    });
  expect(await record('one')).toMatchObject({ teamId: 'one' });
  expect(prepared.length).toBeGreaterThan(2);
  prepared.splice(0);
  for (const team of ['two', 'three']) expect(await record(team)).toMatchObject({ teamId: team });
  expect(prepared).toEqual([]);
  expect(await database.reader.leakPolicy.count()).toBe(3);
});

it('a statement that failed can run again', async () => {
  const create = (teamId: string) => database.writer.leakPolicy.create({ data: { teamId, policy: 'ALERT' } });
  await create('one');
  await expect(create('one')).rejects.toThrow('Unique constraint failed');
  expect(await create('two')).toMatchObject({ teamId: 'two' });
});

it('a statement can run again after a newer version has added a column to its table', async () => {
  const read = () => database.reader.leakPolicy.findMany();
  await database.writer.leakPolicy.create({ data: { teamId: 'one', policy: 'ALERT' } });
  const before = await read();
  await database.writer.$executeRawUnsafe('ALTER TABLE "LeakPolicy" ADD COLUMN "added" TEXT DEFAULT \'new\'');
  expect(await read()).toEqual(before);
  expect(await database.writer.leakPolicy.create({ data: { teamId: 'two', policy: 'ALERT' } })).toMatchObject({
    teamId: 'two',
  });
});

it('keeps statements of a limited size in all', async () => {
  const padding = 'x'.repeat(8000);
  const read = (i: number) => database.reader.$queryRawUnsafe(`SELECT ${i} /* ${padding} */`);
  for (let i = 0; i < 250; i += 1) await read(i);
  expect(prepared).toHaveLength(250);
  await read(249);
  expect(prepared).toHaveLength(250);
  await read(0);
  expect(prepared).toHaveLength(251);
});

it('a raw read of the reader returns what Prisma returns for it', async () => {
  const teamId = 'one';
  await database.writer.leakPolicy.create({ data: { teamId, policy: 'ALERT' } });
  await database.writer.keyUsage.create({ data: { keyId: 'used', lastUsedAt: new Date(5) } });
  const now = new Date();
  await addManyKeys(temporary.url, {
    teamId,
    count: 2,
    revoked: false,
    settings: { allowedIps: ['10.0.0.0/8'], metadata: { a: [1] } },
  });
  const columns = Prisma.raw(
    Object.keys(Prisma.ApiKeyScalarFieldEnum)
      .map((name) => `"${name}"`)
      .join(', '),
  );
  const read = async (client: PrismaClient) => [
    await client.$queryRaw`SELECT ${columns} FROM "ApiKey" WHERE "createdAt" < ${now} AND ${true} ORDER BY "id"`,
    await client.$queryRaw(Prisma.sql`SELECT * FROM "KeyUsage" WHERE "lastUsedAt" = ${new Date(5)}`),
    await client.$queryRaw`SELECT COUNT(*) AS "count", MAX("name") AS "name", NULL AS "none" FROM "ApiKey"`,
  ];
  const rows = await read(database.reader);
  expect(rows.flat()).toHaveLength(4);
  expect(rows).toEqual(await read(database.writer));
});

it('a raw read that fails says why, as a failed query of Prisma', async () => {
  await expect(database.reader.$queryRaw`SELECT * FROM "Nothing"`).rejects.toThrow('no such table: Nothing');
});
