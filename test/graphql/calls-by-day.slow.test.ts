/** The calls of keys by day: the same for a page of hundreds of keys as for one, and never at the price of a change. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Permission } from '../../src/domain/key/permission.ts';
import { dayMs, startOfDay } from '../../src/domain/moment.ts';
import type { DatabaseProvider } from '../../src/lib/database-address.ts';
import { providers } from '../support/databases.ts';
import { inTests } from '../support/in-tests.ts';
import { addManyKeys } from '../support/many-keys.ts';
import { both, graphql, sessionToken, startService } from '../support/service.ts';
import { runSql } from '../support/sql.ts';

interface Node {
  readonly id: string;
  readonly week: readonly number[];
  readonly month: readonly number[];
}

/** Different for each key and day; 0 for each seventh key, which was never used. */
const countOf = (key: number, daysAgo: number) => (key % 7 === 0 ? 0 : key * 100 + daysAgo);

/** Inserts the counts of 40 days for each key, which has its number in its name. */
const insertDays: Readonly<Record<DatabaseProvider, (today: Date) => string>> = {
  sqlite: (today) => `WITH RECURSIVE days(ago) AS (SELECT 0 UNION ALL SELECT ago + 1 FROM days WHERE ago < 39)
    INSERT INTO "UsageDay" ("keyId", "day", "count")
    SELECT "id", strftime('%Y-%m-%dT%H:%M:%f+00:00', '${today.toISOString()}', '-' || ago || ' days'),
      substr("name", 5) * 100 + ago FROM "ApiKey", days WHERE substr("name", 5) % 7 <> 0`,
  postgresql: (today) => `INSERT INTO "UsageDay" ("keyId", "day", "count")
    SELECT "id", '${today.toISOString()}'::timestamp - make_interval(days => ago), substr("name", 5)::integer * 100 + ago
    FROM "ApiKey", generate_series(0, 39) ago WHERE substr("name", 5)::integer % 7 <> 0`,
};

describe.each(providers)('on %s', (provider) => {
  const running = inTests(() => startService(provider));
  const team = randomUUID();
  /** The first team can't have more keys. */
  const small = randomUUID();
  const store = () => running.service.management.store;
  const ask = async (query: string, permissions: readonly Permission[] = both) =>
    (await graphql(running.url, sessionToken({ [team]: permissions, [small]: permissions }), query, {})).body;
  let ids: string[] = [];

  beforeAll(async () => {
    // Not shortly before midnight, so that the day does not end in the tests.
    const leftMs = dayMs - (Date.now() % dayMs);
    if (leftMs < 300_000) await new Promise((resolve) => setTimeout(resolve, leftMs));
    const { url } = running.database;
    ids = await addManyKeys(url, { teamId: team, count: 10_000, revoked: false });
    await runSql(url, insertDays[provider](startOfDay(new Date())));
  });

  it('a page of the largest team has them for every key, oldest day first, with one read for all fields', async () => {
    const read = vi.spyOn(store().usage, 'daily');
    onTestFinished(() => read.mockRestore());
    const fields = 'id week: callsByDay month: callsByDay(days: 31)';
    const { data } = await ask(`{ keys(teamId: "${team}", first: 400) { nodes { ${fields} } } }`);
    expect(read).toHaveBeenCalledTimes(1);
    const nodes: readonly Node[] = data.keys.nodes;
    expect(nodes).toHaveLength(400);
    const expected = (id: string, days: number) =>
      Array.from({ length: days }, (_, i) => countOf(ids.indexOf(id), days - 1 - i));
    for (const { id, week, month } of nodes) expect([week, month]).toEqual([expected(id, 7), expected(id, 31)]);
  });

  it('a count above the largest Int is returned as the largest Int, and a day without calls as 0', async () => {
    const [keyId = ''] = ids;
    const record = { keyId, teamId: team, version: 1, hour: new Date(), lastUsedAt: null };
    const counts = [{ code: 'EXPIRED' as const, count: 2_000_000_000 }];
    for (let i = 0; i < 2; i += 1) await store().usage.add([{ ...record, counts }]);
    const { data } = await ask(`{ key(id: "${keyId}") { callsByDay(days: 2) } }`);
    expect(data.key.callsByDay).toEqual([0, 2_147_483_647]);
  });

  it.each([0, -1, 32])(
    '%i days are rejected before anything runs, so that no change loses its answer',
    async (days) => {
      const create = `mutation { createKey(input: { teamId: "${small}", name: "Lost", env: live }) {
      secret apiKey { callsByDay(days: ${days}) }
    } }`;
      const { data, errors } = await ask(create);
      expect(data).toBeUndefined();
      expect(errors[0].extensions.errors).toEqual([{ field: 'days', message: 'must be from 1 to 31' }]);
      const lost = await ask(`{ keys(teamId: "${small}", filter: { search: "Lost" }) { nodes { id } } }`);
      expect(lost.data.keys.nodes).toEqual([]);
    },
  );

  it('a caller without view_team gets null instead, and the secret of the key that it creates', async () => {
    const create = `mutation { createKey(input: { teamId: "${small}", name: "Theirs", env: live }) {
      secret apiKey { callsByDay }
    } }`;
    const { data, errors } = await ask(create, ['manage_keys']);
    expect(errors).toBeUndefined();
    expect(data.createKey).toEqual({ secret: expect.any(String), apiKey: { callsByDay: null } });
    expect((await ask(create)).data.createKey.apiKey.callsByDay).toEqual([0, 0, 0, 0, 0, 0, 0]);
  });
});
