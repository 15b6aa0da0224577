import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfiguration } from '../../src/config/configuration.ts';
import type { UsageRecord } from '../../src/domain/control-plane.ts';
import type { VerdictCode } from '../../src/domain/verdict-code.ts';
import { Store } from '../../src/store/store.ts';
import { providers, type TemporaryDatabase, temporaryDatabase } from '../support/databases.ts';

const noon = Date.parse('2026-06-01T12:00:00Z');
const hourMs = 3_600_000;
const ever = [new Date('2020-01-01T00:00:00Z'), new Date('2030-01-01T00:00:00Z')] as const;

describe.each(providers)('on %s', (provider) => {
  let database: TemporaryDatabase;
  let store: Store;
  beforeAll(async () => {
    database = await temporaryDatabase(provider);
    store = await Store.open(readConfiguration({ DATABASE_URL: database.url }).DATABASE_URL);
  });
  afterAll(async () => {
    await store.close();
    await database.remove();
  });

  const at = (hours: number) => new Date(noon + hours * hourMs);
  const hour = (hours: number, code: VerdictCode, count: number) => ({ hour: at(hours), code, count });

  it('the hours of the secrets of a key add up to those of the key, whichever version of the service counted them', async () => {
    const keyId = randomUUID();
    const unversioned = { keyId, teamId: randomUUID(), hour: at(0), lastUsedAt: null };
    const record = (version: number, hours: number, counts: Partial<Record<VerdictCode, number>>): UsageRecord => ({
      ...unversioned,
      version,
      hour: at(hours),
      counts: Object.entries(counts).map(([code, count]) => ({ code: code as VerdictCode, count })),
    });
    await store.usage.add([
      record(1, 0, { VALID: 7, EXPIRED: 1 }),
      record(2, 0, { VALID: 5 }),
      record(3, 0, { VALID: 2 }),
      record(2, 1, { VALID: 4 }),
    ]);
    // What an instance of an older version writes: the use of the key alone.
    await store.changes.perform(async (transaction) => {
      await transaction.usageHour.update({
        where: { keyId_hour_code: { keyId, hour: at(0), code: 'VALID' } },
        data: { count: { increment: 10 } },
      });
    });
    await store.usage.add([record(2, 0, { VALID: 1 })]);
    const hoursOf = (version: number) => store.usage.hourlyOfSecret(keyId, version, ...ever);
    expect(await hoursOf(1)).toEqual([hour(0, 'EXPIRED', 1), hour(0, 'VALID', 17)]);
    expect(await hoursOf(2)).toEqual([hour(0, 'VALID', 6), hour(1, 'VALID', 4)]);
    expect(await hoursOf(3)).toEqual([hour(0, 'VALID', 2)]);
    expect(await store.usage.hourly(keyId, ...ever)).toEqual([
      hour(0, 'EXPIRED', 1),
      hour(0, 'VALID', 25),
      hour(1, 'VALID', 4),
    ]);
  });

  it('keeps the latest use of each secret, in whatever order it arrives, and no row for a key that was never rotated', async () => {
    const [rotated, other] = [randomUUID(), randomUUID()];
    const use = (keyId: string, version: number, hours: number): UsageRecord => ({
      keyId,
      teamId: randomUUID(),
      version,
      hour: at(hours),
      lastUsedAt: at(hours),
      counts: [],
    });
    await store.changes.perform(async (transaction) => {
      await transaction.secretUse.create({ data: { keyId: rotated, version: 1 } });
    });
    await store.usage.add([use(rotated, 1, 2), use(rotated, 2, 3), use(other, 1, 9)]);
    await store.usage.add([use(rotated, 1, 1), use(rotated, 2, 4), use(rotated, 2, 2)]);
    expect(await store.usage.lastUsedSecrets([rotated, other])).toEqual(
      new Map([
        [
          rotated,
          new Map([
            [1, at(2)],
            [2, at(4)],
          ]),
        ],
      ]),
    );
    expect(await store.usage.lastUsed([rotated])).toEqual(new Map([[rotated, at(4)]]));
  });
});
