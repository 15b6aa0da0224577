// SECURITY.md: Hostile tenant
/** The use of keys, of their secrets and of teams: sums that are right, whatever writes them and in whatever order. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { VerdictCode } from '../../src/domain/verdict/verdict-code.ts';
import { Decision } from '../../src/store/changes/change.ts';
import { keyWithId } from '../../src/store/changes/key-state.ts';
import type { UsageRecord } from '../../src/wire/control-plane.ts';
import { providers } from '../support/databases.ts';
import { inTests } from '../support/in-tests.ts';
import { addManyKeys } from '../support/many-keys.ts';
import { openStores } from '../support/stores.ts';

const noon = Date.parse('2026-06-01T12:00:00Z');
const at = (hours: number) => new Date(noon + hours * 3_600_000);
const ever = [new Date('2020-01-01T00:00:00Z'), new Date('2030-01-01T00:00:00Z')] as const;

const hour = (hours: number, code: VerdictCode, count: number) => ({ hour: at(hours), code, count });
type Key = Pick<UsageRecord, 'keyId' | 'teamId'>;
const keyOf = (teamId: string): Key => ({ keyId: randomUUID(), teamId });
const record = (
  key: Key,
  hours: number,
  counts: Partial<Record<VerdictCode, number>>,
  more: Partial<UsageRecord> = {},
): UsageRecord => ({
  ...key,
  version: 1,
  hour: at(hours),
  lastUsedAt: null,
  counts: Object.entries(counts).map(([code, count]) => ({ code: code as VerdictCode, count })),
  ...more,
});
const use = (key: Key, version: number, hours: number) => record(key, hours, {}, { version, lastUsedAt: at(hours) });

describe.each(providers)('on %s', (provider) => {
  const stores = inTests(() => openStores(provider));
  const newTeam = () => {
    const team = randomUUID();
    return { store: stores.store, usage: stores.store.usage, team, key: keyOf(team) };
  };

  it('a count that has reached its maximum stays there, and does not stop others', async () => {
    const { store, team } = newTeam();
    const [full, other] = [keyOf(team), keyOf(team)];
    for (let i = 0; i < 2; i += 1) await store.usage.add([record(full, 0, { VALID: 2_000_000_000 })]);
    await store.usage.add([record(full, 0, { VALID: 5 }), record(other, 0, { VALID: 5 })]);
    expect(await store.usage.hourly(full.keyId, ...ever)).toEqual([hour(0, 'VALID', 2_147_483_647)]);
    expect(await store.usage.hourly(other.keyId, ...ever)).toEqual([hour(0, 'VALID', 5)]);
  });

  it('the hours of a team are the sums of its keys, and of no other', async () => {
    const { store, team } = newTeam();
    const otherTeam = randomUUID();
    const [first, second, theirs] = [keyOf(team), keyOf(team), keyOf(otherTeam)];
    await store.usage.add([
      record(first, 0, { VALID: 2, EXPIRED: 1 }),
      record(second, 0, { VALID: 3 }),
      record(second, 1, { REVOKED: 4 }),
      record(theirs, 0, { VALID: 100 }),
    ]);
    await store.usage.add([record(first, 0, { VALID: 10 })]);
    const expected = [hour(0, 'EXPIRED', 1), hour(0, 'VALID', 15), hour(1, 'REVOKED', 4)];
    expect(await store.usage.teamHourly(team, ...ever)).toEqual(expected);
    expect(await store.usage.teamHourly(otherTeam, ...ever)).toEqual([hour(0, 'VALID', 100)]);
    // From the start on, and up to the end but not with it.
    expect(await store.usage.teamHourly(team, at(0), at(1))).toEqual(expected.slice(0, 2));
    expect(await store.usage.teamHourly(team, new Date(noon + 1), new Date(noon + 3_600_001))).toEqual([expected[2]]);
  });

  it('the days of a key are the sums of its hours and verdicts in UTC, from the given day on', async () => {
    const { store, team, key } = newTeam();
    const [other, unused] = [keyOf(team), keyOf(team)];
    // The first and the last hour of a day, whose start is noon - 12 hours.
    await store.usage.add([
      record(key, -13, { VALID: 64 }),
      record(key, -12, { VALID: 2, EXPIRED: 1 }),
      record(key, 11, { REVOKED: 4 }, { version: 2 }),
      record(key, 12, { VALID: 32 }),
      record(key, 13, {}),
      record(other, 0, { VALID: 2_000_000_000 }),
    ]);
    await store.usage.add([record(key, 0, { VALID: 8 }), record(other, 0, { VALID: 2_000_000_000 })]);
    const ids = [key.keyId, other.keyId, unused.keyId];
    const today = at(-12).getTime();
    expect(await store.usage.daily(ids, at(-12))).toEqual(
      new Map([
        [
          key.keyId,
          new Map([
            [today, 15],
            [today + 86_400_000, 32],
          ]),
        ],
        [other.keyId, new Map([[today, 4_000_000_000]])],
        [unused.keyId, new Map()],
      ]),
    );
    await store.purge.usageHours(at(13));
    expect((await store.usage.daily([key.keyId], at(-36))).get(key.keyId)).toEqual(new Map());
  });

  it('they can be more than 32 bits hold', async () => {
    const { store, team } = newTeam();
    for (const key of [keyOf(team), keyOf(team)]) await store.usage.add([record(key, 0, { VALID: 2_000_000_000 })]);
    expect(await store.usage.teamHourly(team, ...ever)).toEqual([hour(0, 'VALID', 4_000_000_000)]);
  });

  it('counts of one key and hour that were kept after a failed write are added up with those of the next write', async () => {
    const { store, team, key } = newTeam();
    const later = new Date(noon + 60_000);
    await store.usage.add([
      record(key, 0, { VALID: 2 }, { lastUsedAt: later }),
      record(key, 0, { VALID: 3 }, { lastUsedAt: at(0) }),
    ]);
    expect(await store.usage.hourly(key.keyId, ...ever)).toEqual([hour(0, 'VALID', 5)]);
    expect(await store.usage.teamHourly(team, ...ever)).toEqual([hour(0, 'VALID', 5)]);
    expect(await store.usage.lastUsed([key.keyId])).toEqual(new Map([[key.keyId, later]]));
  });

  it('two instances that write many keys of the same teams concurrently lose nothing and do not fail', async () => {
    const { store, team } = newTeam();
    const otherTeam = randomUUID();
    const keys = Array.from({ length: 40 }, (_, i) => keyOf(i % 2 === 0 ? team : otherTeam));
    const records = [0, 1].flatMap((hours) => keys.map((key) => record(key, hours, { VALID: 1, EXPIRED: 2 })));
    const rounds = Array.from({ length: 20 }, (_, i) => [
      store.usage.add(i % 2 === 0 ? records : records.toReversed()),
      stores.other.usage.add(i % 3 === 0 ? records : records.toReversed()),
    ]);
    await Promise.all(rounds.flat());
    const sums = [0, 1].flatMap((hours) => [hour(hours, 'EXPIRED', 20 * 2 * 40), hour(hours, 'VALID', 20 * 40)]);
    for (const teamId of [team, otherTeam]) expect(await store.usage.teamHourly(teamId, ...ever)).toEqual(sums);
  });

  it('all hours before a moment are forgotten, more than one statement takes, and no other', async () => {
    const { store, team, key } = newTeam();
    const records = Array.from({ length: 4501 }, (_, i) => record(key, i - 4500, { VALID: 1 }, { version: 2 }));
    for (let i = 0; i < records.length; i += 500) await store.usage.add(records.slice(i, i + 500));
    await store.purge.usageHours(at(0));
    const period = [new Date(0), new Date(noon + 1)] as const;
    expect(await store.usage.hourly(key.keyId, ...period)).toEqual([hour(0, 'VALID', 1)]);
    expect(await store.usage.hourlyOfSecret(key.keyId, 2, ...period)).toEqual([hour(0, 'VALID', 1)]);
    expect(await store.usage.teamHourly(team, ...period)).toEqual([hour(0, 'VALID', 1)]);
  });

  it('the hours of the secrets of a key add up to those of the key', async () => {
    const { usage, key } = newTeam();
    const ofSecret = (version: number, hours: number, counts: Partial<Record<VerdictCode, number>>) =>
      record(key, hours, counts, { version });
    await usage.add([
      ofSecret(1, 0, { VALID: 7, EXPIRED: 1 }),
      ofSecret(2, 0, { VALID: 5 }),
      ofSecret(3, 0, { VALID: 2 }),
      ofSecret(2, 1, { VALID: 4 }),
    ]);
    await usage.add([ofSecret(2, 0, { VALID: 1 })]);
    const hoursOf = (version: number) => usage.hourlyOfSecret(key.keyId, version, ...ever);
    expect(await hoursOf(1)).toEqual([hour(0, 'EXPIRED', 1), hour(0, 'VALID', 7)]);
    expect(await hoursOf(2)).toEqual([hour(0, 'VALID', 6), hour(1, 'VALID', 4)]);
    expect(await hoursOf(3)).toEqual([hour(0, 'VALID', 2)]);
    const all = [hour(0, 'EXPIRED', 1), hour(0, 'VALID', 15), hour(1, 'VALID', 4)];
    expect(await usage.hourly(key.keyId, ...ever)).toEqual(all);
  });

  it('keeps the latest use of each secret, in whatever order it arrives, and no row for a key that was never rotated', async () => {
    const { store, usage, team, key: rotated } = newTeam();
    const other = keyOf(team);
    await store.changes.housekeep(async (transaction) => {
      await transaction.secretUse.create({ data: { keyId: rotated.keyId, version: 1 } });
    });
    await usage.add([use(rotated, 1, 2), use(rotated, 2, 3), use(other, 1, 9)]);
    await usage.add([use(rotated, 1, 1), use(rotated, 2, 4), use(rotated, 2, 2)]);
    const read = await usage.lastUsedSecrets([
      { id: rotated.keyId, secretVersion: 2 },
      { id: other.keyId, secretVersion: 1 },
    ]);
    expect(read).toEqual(new Map([[rotated.keyId, new Map([1, 2].map((version) => [version, at(2 * version)]))]]));
    expect(await usage.lastUsed([rotated.keyId])).toEqual(new Map([[rotated.keyId, at(4)]]));
  });

  it('of a key that was rotated many times, the use of the secrets that are shown is read, and the rest is deleted', async () => {
    const { store, usage, team: teamId } = newTeam();
    const [keyId = ''] = await addManyKeys(stores.database.url, { teamId, count: 1, revoked: false });
    const key = { keyId, teamId };
    const rowsOf = async () => {
      let versions: number[] = [];
      await store.changes.housekeep(async (transaction) => {
        const rows = await transaction.secretUse.findMany({ where: { keyId }, orderBy: { version: 'asc' } });
        versions = rows.map(({ version }) => version);
      });
      return versions;
    };
    const rotate = () =>
      store.changes.submit({
        queueKey: teamId,
        load: keyWithId(keyId),
        decide: (found) => {
          if (found === null) throw new Error('there is no such key');
          const { digest, id, secretVersion: version, prefix, pepperId } = found;
          const rotated = { digest, keyId: id, teamId, version, prefix, pepperId, rotatedAt: at(0) };
          const next = { ...found, secretVersion: version + 1, digest: randomUUID(), prefix: randomUUID() };
          return new Decision(null, { key: next, rotated });
        },
      });
    await usage.add([use(key, 1, 1)]);
    for (let version = 1; version < 6; version += 1) {
      await rotate();
      await usage.add([use(key, version + 1, version + 1)]);
    }
    expect(await rowsOf()).toEqual([5, 6]);
    // Several in one group, and what a late report has added.
    await usage.add([use(key, 2, 2), use(key, 3, 3)]);
    const shown = await usage.lastUsedSecrets([{ id: keyId, secretVersion: 6 }]);
    expect(shown).toEqual(new Map([[keyId, new Map([5, 6].map((version) => [version, at(version)]))]]));
    await Promise.all([rotate(), rotate()]);
    expect(await rowsOf()).toEqual([]);
  });
});
