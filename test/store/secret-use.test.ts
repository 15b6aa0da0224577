import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfiguration } from '../../src/config/configuration.ts';
import type { VerdictCode } from '../../src/domain/verdict/verdict-code.ts';
import { Store } from '../../src/store/store.ts';
import type { UsageRecord } from '../../src/wire/control-plane.ts';
import { providers, type TemporaryDatabase, temporaryDatabase } from '../support/databases.ts';
import { addManyKeys } from '../support/many-keys.ts';

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
    expect(
      await store.usage.lastUsedSecrets([
        { id: rotated, secretVersion: 2 },
        { id: other, secretVersion: 1 },
      ]),
    ).toEqual(
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

  it('of a key that was rotated many times, the use of the secrets that are shown is read, and the rest is deleted', async () => {
    const teamId = randomUUID();
    const [keyId = ''] = await addManyKeys(store, { teamId, count: 1, revoked: false });
    const use = (version: number): UsageRecord => ({
      keyId,
      teamId,
      version,
      hour: at(version),
      lastUsedAt: at(version),
      counts: [],
    });
    const rowsOf = async () => {
      let versions: number[] = [];
      await store.changes.perform(async (transaction) => {
        const rows = await transaction.secretUse.findMany({ where: { keyId }, orderBy: { version: 'asc' } });
        versions = rows.map(({ version }) => version);
      });
      return versions;
    };
    const rotate = () =>
      store.changes.submit({
        kind: 'existing',
        queueKey: teamId,
        keyId,
        decide: (key) => {
          if (key === null) throw new Error('there is no such key');
          const { digest, id, secretVersion: version, prefix, pepperId } = key;
          const rotated = { digest, keyId: id, teamId, version, prefix, pepperId, rotatedAt: at(0) };
          const next = { ...key, secretVersion: version + 1, digest: randomUUID(), prefix: randomUUID() };
          return { answer: null, write: { key: next, rotated } };
        },
      });
    await store.usage.add([use(1)]);
    for (let version = 1; version < 6; version += 1) {
      await rotate();
      await store.usage.add([use(version + 1)]);
    }
    expect(await rowsOf()).toEqual([5, 6]);
    // Several in one group, and what an older version, which deletes nothing, has left.
    await store.usage.add([use(2), use(3)]);
    expect(await store.usage.lastUsedSecrets([{ id: keyId, secretVersion: 6 }])).toEqual(
      new Map([
        [
          keyId,
          new Map([
            [5, at(5)],
            [6, at(6)],
          ]),
        ],
      ]),
    );
    await Promise.all([rotate(), rotate()]);
    expect(await rowsOf()).toEqual([]);
  });
});
