import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfiguration } from '../../src/config/configuration.ts';
import type { ApiKey } from '../../src/domain/key/api-key.ts';
import type { UsageHour } from '../../src/domain/verdict/usage-hour.ts';
import type { VerdictCode } from '../../src/domain/verdict/verdict-code.ts';
import { createKey } from '../../src/manage/change/create-key.ts';
import { Store } from '../../src/store/store.ts';
import type { UsageRecord } from '../../src/wire/control-plane.ts';
import { providers } from '../support/databases.ts';
import { both, callerOf, type RunningService, startService } from '../support/service.ts';
import type { TemporaryDatabase } from '../support/temporary-database.ts';

const noon = Date.parse('2026-06-01T12:00:00Z');
const hourMs = 3_600_000;
const ever = [new Date('2020-01-01T00:00:00Z'), new Date('2030-01-01T00:00:00Z')] as const;

describe.each(providers)('on %s', (provider) => {
  let running: RunningService;
  let database: TemporaryDatabase;
  let store: Store;
  const [team, otherTeam] = [randomUUID(), randomUUID()];

  beforeEach(async () => {
    running = await startService(provider);
    database = running.database;
    store = running.service.management.store;
  });
  afterEach(() => running.stop());

  const keyOf = async (teamId: string) => {
    const input = { teamId, name: 'A key', env: 'live' } as const;
    return (await createKey(running.service.management, callerOf({ [teamId]: both }), input)).apiKey;
  };
  const record = ({ id, teamId }: ApiKey, hour: number, counts: Partial<Record<VerdictCode, number>>): UsageRecord => ({
    keyId: id,
    teamId,
    version: 1,
    hour: new Date(noon + hour * hourMs),
    lastUsedAt: null,
    counts: Object.entries(counts).map(([code, count]) => ({ code: code as VerdictCode, count })),
  });
  const hour = (hours: number, code: VerdictCode, count: number): UsageHour => ({
    hour: new Date(noon + hours * hourMs),
    code,
    count,
  });

  it('a count that has reached its maximum stays there, and does not stop others', async () => {
    const [full, other] = [await keyOf(team), await keyOf(team)];
    for (let i = 0; i < 2; i += 1) await store.usage.add([record(full, 0, { VALID: 2_000_000_000 })]);
    await store.usage.add([record(full, 0, { VALID: 5 }), record(other, 0, { VALID: 5 })]);
    expect(await store.usage.hourly(full.id, ...ever)).toEqual([hour(0, 'VALID', 2_147_483_647)]);
    expect(await store.usage.hourly(other.id, ...ever)).toEqual([hour(0, 'VALID', 5)]);
  });

  it('the hours of a team are the sums of its keys, and of no other', async () => {
    const [first, second, theirs] = [await keyOf(team), await keyOf(team), await keyOf(otherTeam)];
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
    const [start, next] = [new Date(noon), new Date(noon + hourMs)];
    expect(await store.usage.teamHourly(team, start, next)).toEqual(expected.slice(0, 2));
    expect(await store.usage.teamHourly(team, new Date(noon + 1), new Date(noon + hourMs + 1))).toEqual([expected[2]]);
  });

  it('they can be more than 32 bits hold', async () => {
    const keys = [await keyOf(team), await keyOf(team)];
    for (const key of keys) await store.usage.add([record(key, 0, { VALID: 2_000_000_000 })]);
    expect(await store.usage.teamHourly(team, ...ever)).toEqual([hour(0, 'VALID', 4_000_000_000)]);
  });

  it('counts of one key and hour that were kept after a failed write are added up with those of the next write', async () => {
    const key = await keyOf(team);
    const later = new Date(noon + 60_000);
    await store.usage.add([
      { ...record(key, 0, { VALID: 2 }), lastUsedAt: later },
      { ...record(key, 0, { VALID: 3 }), lastUsedAt: new Date(noon) },
    ]);
    expect(await store.usage.hourly(key.id, ...ever)).toEqual([hour(0, 'VALID', 5)]);
    expect(await store.usage.teamHourly(team, ...ever)).toEqual([hour(0, 'VALID', 5)]);
    expect(await store.usage.lastUsed([key.id])).toEqual(new Map([[key.id, later]]));
  });

  it('two instances that write many keys of the same teams concurrently lose nothing and do not fail', async () => {
    // On SQLite, two that write from one thread would wait for each other: there it is one instance.
    const { DATABASE_URL } = readConfiguration({ DATABASE_URL: database.url });
    const other = provider === 'sqlite' ? store : await Store.open(DATABASE_URL);
    const keys = await Promise.all(Array.from({ length: 40 }, (_, i) => keyOf(i % 2 === 0 ? team : otherTeam)));
    const records = [0, 1].flatMap((hours) => keys.map((key) => record(key, hours, { VALID: 1, EXPIRED: 2 })));
    const rounds = Array.from({ length: 20 }, (_, i) => [
      store.usage.add(i % 2 === 0 ? records : records.toReversed()),
      other.usage.add(i % 3 === 0 ? records : records.toReversed()),
    ]);
    await Promise.all(rounds.flat());
    const sums = [0, 1].flatMap((hours) => [hour(hours, 'EXPIRED', 20 * 2 * 40), hour(hours, 'VALID', 20 * 40)]);
    for (const teamId of [team, otherTeam]) expect(await store.usage.teamHourly(teamId, ...ever)).toEqual(sums);
    if (other !== store) await other.close();
  });

  it('all hours before a moment are forgotten, more than one statement takes, and no other', async () => {
    const key = await keyOf(team);
    const records = Array.from({ length: 4501 }, (_, i) => record(key, i - 4500, { VALID: 1 }));
    await store.usage.add(records.map((one) => ({ ...one, version: 2 })));
    await store.purge.usageHours(new Date(noon));
    const period = [new Date(0), new Date(noon + 1)] as const;
    expect(await store.usage.hourly(key.id, ...period)).toEqual([hour(0, 'VALID', 1)]);
    expect(await store.usage.hourlyOfSecret(key.id, 2, ...period)).toEqual([hour(0, 'VALID', 1)]);
    expect(await store.usage.teamHourly(team, ...period)).toEqual([hour(0, 'VALID', 1)]);
  });
});
