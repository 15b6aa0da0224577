/** SQL of our own and Prisma store and find dates alike. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfiguration } from '../../src/config/configuration.ts';
import { BulkRows, teamHourTable } from '../../src/store/changes/bulk-rows.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { storedDate } from '../../src/store/json-rows.ts';
import { migrate } from '../../src/store/migrate.ts';
import { providers, temporaryDatabase } from '../support/databases.ts';
import type { TemporaryDatabase } from '../support/temporary-database.ts';

const dates = [
  '1970-01-01T00:00:00.000Z',
  '2026-03-29T01:30:00.000Z',
  '2026-11-22T08:17:36.007Z',
  '2026-12-31T23:59:59.999Z',
  '9999-12-31T23:59:59.120Z',
].map((text) => new Date(text));

describe.each(providers)('on %s', (provider) => {
  let temporary: TemporaryDatabase;
  let database: Database;
  beforeAll(async () => {
    temporary = await temporaryDatabase(provider);
    const { DATABASE_URL } = readConfiguration({ DATABASE_URL: temporary.url });
    await migrate(DATABASE_URL);
    database = await openDatabase(DATABASE_URL);
    const rowsOf = (teamId: string) => dates.map((hour) => ({ teamId, hour, code: 'VALID', count: 1 }));
    for (const data of rowsOf('written by Prisma')) await database.writer.teamUsageHour.create({ data });
    await database.writer.$transaction((transaction) =>
      new BulkRows(transaction, provider).insert(teamHourTable, rowsOf('written in bulk')),
    );
  });
  afterAll(async () => {
    await database.close();
    await temporary.remove();
  });

  const textsOf = async (teamId: string) => {
    const rows = await database.reader.$queryRaw<{ readonly text: string }[]>`
      SELECT CAST("hour" AS TEXT) AS "text" FROM "TeamUsageHour" WHERE "teamId" = ${teamId} ORDER BY "hour"`;
    return rows.map(({ text }) => text);
  };

  it('a bulk write stores the same text as Prisma', async () => {
    const texts = await textsOf('written by Prisma');
    expect(texts).toHaveLength(dates.length);
    expect(await textsOf('written in bulk')).toEqual(texts);
    if (provider === 'sqlite') expect(texts).toEqual(dates.map(storedDate));
  });

  it.each(['written by Prisma', 'written in bulk'])('Prisma reads what was %s', async (teamId) => {
    const rows = await database.reader.teamUsageHour.findMany({ where: { teamId }, orderBy: { hour: 'asc' } });
    expect(rows.map(({ hour }) => hour)).toEqual(dates);
  });

  it.each(dates)('%s as a parameter of a query is equal to the stored date', async (hour) => {
    const found = await database.reader.teamUsageHour.count({ where: { hour } });
    const [row] = await database.reader.$queryRaw<{ readonly count: number | bigint }[]>`
      SELECT count(*) AS "count" FROM "TeamUsageHour" WHERE "hour" = ${hour}`;
    expect([found, Number(row?.count)]).toEqual([2, 2]);
  });
});
