import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { VerdictCode } from '../../src/domain/verdict/verdict-code.ts';
import type { UsageRecord } from '../../src/wire/control-plane.ts';
import { providers } from '../support/databases.ts';
import { inTests } from '../support/in-tests.ts';
import { addManyKeys } from '../support/many-keys.ts';
import { openStores } from '../support/stores.ts';

const noon = Date.parse('2026-06-01T12:00:00Z');
const hourMs = 3_600_000;
const ever = [new Date('2020-01-01T00:00:00Z'), new Date('2030-01-01T00:00:00Z')] as const;

describe.each(providers)('on %s', (provider) => {
  const stores = inTests(() => openStores(provider));

  const at = (hours: number) => new Date(noon + hours * hourMs);
  const hour = (hours: number, code: VerdictCode, count: number) => ({ hour: at(hours), code, count });

  it('the hours of the secrets of a key add up to those of the key', async () => {
    const keyId = randomUUID();
    const unversioned = { keyId, teamId: randomUUID(), hour: at(0), lastUsedAt: null };
    const record = (version: number, hours: number, counts: Partial<Record<VerdictCode, number>>): UsageRecord => ({
      ...unversioned,
      version,
      hour: at(hours),
      counts: Object.entries(counts).map(([code, count]) => ({ code: code as VerdictCode, count })),
    });
    await stores.store.usage.add([
      record(1, 0, { VALID: 7, EXPIRED: 1 }),
      record(2, 0, { VALID: 5 }),
      record(3, 0, { VALID: 2 }),
      record(2, 1, { VALID: 4 }),
    ]);
    await stores.store.usage.add([record(2, 0, { VALID: 1 })]);
    const hoursOf = (version: number) => stores.store.usage.hourlyOfSecret(keyId, version, ...ever);
    expect(await hoursOf(1)).toEqual([hour(0, 'EXPIRED', 1), hour(0, 'VALID', 7)]);
    expect(await hoursOf(2)).toEqual([hour(0, 'VALID', 6), hour(1, 'VALID', 4)]);
    expect(await hoursOf(3)).toEqual([hour(0, 'VALID', 2)]);
    expect(await stores.store.usage.hourly(keyId, ...ever)).toEqual([
      hour(0, 'EXPIRED', 1),
      hour(0, 'VALID', 15),
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
    await stores.store.changes.perform(async (transaction) => {
      await transaction.secretUse.create({ data: { keyId: rotated, version: 1 } });
    });
    await stores.store.usage.add([use(rotated, 1, 2), use(rotated, 2, 3), use(other, 1, 9)]);
    await stores.store.usage.add([use(rotated, 1, 1), use(rotated, 2, 4), use(rotated, 2, 2)]);
    expect(
      await stores.store.usage.lastUsedSecrets([
        { id: rotated, secretVersion: 2 },
        { id: other, secretVersion: 1 },
      ]),
    ).toEqual(new Map([[rotated, new Map([1, 2].map((version) => [version, at(2 * version)]))]]));
    expect(await stores.store.usage.lastUsed([rotated])).toEqual(new Map([[rotated, at(4)]]));
  });

  it('of a key that was rotated many times, the use of the secrets that are shown is read, and the rest is deleted', async () => {
    const teamId = randomUUID();
    const [keyId = ''] = await addManyKeys(stores.store, { teamId, count: 1, revoked: false });
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
      await stores.store.changes.perform(async (transaction) => {
        const rows = await transaction.secretUse.findMany({ where: { keyId }, orderBy: { version: 'asc' } });
        versions = rows.map(({ version }) => version);
      });
      return versions;
    };
    const rotate = () =>
      stores.store.changes.submit({
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
    await stores.store.usage.add([use(1)]);
    for (let version = 1; version < 6; version += 1) {
      await rotate();
      await stores.store.usage.add([use(version + 1)]);
    }
    expect(await rowsOf()).toEqual([5, 6]);
    // Several in one group, and what a late report has added.
    await stores.store.usage.add([use(2), use(3)]);
    const shown = await stores.store.usage.lastUsedSecrets([{ id: keyId, secretVersion: 6 }]);
    expect(shown).toEqual(new Map([[keyId, new Map([5, 6].map((version) => [version, at(version)]))]]));
    await Promise.all([rotate(), rotate()]);
    expect(await rowsOf()).toEqual([]);
  });
});
