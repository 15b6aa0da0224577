// SECURITY.md: Bytes from outside; Hostile tenant
/** A search on SQLite reads a limited number of bytes, however long the texts of a team's keys are. */
import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { readConfiguration } from '../../src/config/configuration.ts';
import { parseSearchText } from '../../src/domain/key/search-text.ts';
import { openDatabase } from '../../src/store/database.ts';
import type { PrismaClient } from '../../src/store/generated/sqlite/client.ts';
import { migrate } from '../../src/store/migrate.ts';
import type { KeyPosition } from '../../src/store/rows/key-selection.ts';
import { Keys } from '../../src/store/rows/keys.ts';
import { temporaryDatabase } from '../support/databases.ts';
import { addManyKeys } from '../support/many-keys.ts';

/** As long as the body of one call can be. */
const allowedIps = Array.from({ length: 100 }, (_, i) => `10.0.0.${i} # ${'x'.repeat(580)}`);
const maxBytes = { perSearch: 42_000_000, perChunk: 3_500_000, perLaterChunk: 1_200_000 };

it('a search reads at most 42 MB of keys with long allow-lists, in chunks of 1 MB, and the next ones read the rest', async () => {
  const { url, remove } = await temporaryDatabase('sqlite');
  onTestFinished(remove);
  const address = readConfiguration({ DATABASE_URL: url }).DATABASE_URL;
  await migrate(address);
  const database = await openDatabase(address);
  onTestFinished(database.close);
  const teamId = randomUUID();
  await addManyKeys(url, { teamId, count: 1000, revoked: true, settings: { allowedIps } });
  await addManyKeys(url, { teamId, count: 1, revoked: true, name: 'zebra', createdAt: new Date(0) });

  let chunks: number[] = [];
  const reader = {
    $queryRaw: async (statement: TemplateStringsArray) => {
      const rows = await database.reader.$queryRaw<{ readonly bytes: number | bigint | null }[]>(statement);
      chunks.push(...rows.map(({ bytes }) => Number(bytes)));
      return rows;
    },
  };
  const keys = new Keys(reader as unknown as PrismaClient, 'sqlite');
  const selection = { teamId, now: new Date(), states: ['REVOKED'], search: parseSearchText('zebra') } as const;
  let found = 0;
  let [after, searches]: [KeyPosition | null | undefined, number] = [undefined, 0];
  while (after !== null) {
    chunks = [];
    const order = { field: 'CREATED_AT', direction: 'DESC' } as const;
    const page = await keys.search({ ...selection, orderBy: order, limit: 51, after });
    expect(chunks.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(maxBytes.perSearch);
    expect(Math.max(...chunks)).toBeLessThan(maxBytes.perChunk);
    expect(Math.max(...chunks.slice(1))).toBeLessThan(maxBytes.perLaterChunk);
    found += page.textBytes.length;
    after = page.end;
    searches += 1;
  }
  expect(found).toBe(1);
  expect(searches).toBe(2);
  expect(await keys.count(selection)).toEqual({ count: 0, isPartial: true });
});
