import { expect, it } from 'vitest';
import { readConfiguration } from '../../src/config.ts';
import { Store } from '../../src/store/store.ts';
import { providers, temporaryDatabase } from '../support/databases.ts';

it.each(providers)(
  'on %s, all hours before a moment are forgotten, more than one statement takes, and no other',
  async (provider) => {
    const database = await temporaryDatabase(provider);
    const { usage, ...store } = await open(database.url);
    const boundary = Date.parse('2026-06-01T12:00:00Z');
    const record = (i: number) => ({
      keyId: 'key',
      hour: new Date(boundary + i * 3_600_000),
      lastUsedAt: null,
      counts: [{ code: 'VALID' as const, count: 1 }],
    });
    await usage.add(Array.from({ length: 4501 }, (_, i) => record(i - 4500)));
    await usage.purge(new Date(boundary));
    expect(await usage.hourly('key', new Date(0), new Date(boundary + 1))).toEqual([
      { hour: new Date(boundary), code: 'VALID', count: 1 },
    ]);
    await store.close();
    await database.remove();
  },
);

async function open(url: string) {
  const store = await Store.open(readConfiguration({ DATABASE_URL: url }).DATABASE_URL);
  return { usage: store.usage, close: () => store.close() };
}
