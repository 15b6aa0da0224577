// SECURITY.md: Hostile tenant
/** However many keys a team has, no field reads more than 10,000 of them, and an answer says that it is partial. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfiguration } from '../../src/config/configuration.ts';
import type { KeyState } from '../../src/domain/key/api-key.ts';
import { parseSearchText } from '../../src/domain/key/search-text.ts';
import { revokeKey } from '../../src/manage/change/key-state.ts';
import { revokeKeys } from '../../src/manage/change/revoke-keys.ts';
import { type ListKeysInput, listKeys, readKeysOverview } from '../../src/manage/read/read-keys.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import type { PrismaClient } from '../../src/store/generated/sqlite/client.ts';
import { maxScannedKeys } from '../../src/store/rows/key-scan.ts';
import type { KeyOrder } from '../../src/store/rows/key-selection.ts';
import { Keys } from '../../src/store/rows/keys.ts';
import { providers } from '../support/databases.ts';
import { addManyKeys } from '../support/many-keys.ts';
import { noTeamRules } from '../support/plain-keys.ts';
import { both, callerOf, graphql, type RunningService, sessionToken, startService } from '../support/service.ts';

const unrevokedStates: readonly KeyState[] = ['ACTIVE', 'EXPIRED', 'DISABLED'];
const states: readonly (readonly KeyState[])[] = [['REVOKED'], unrevokedStates, [...unrevokedStates, 'REVOKED']];
const orders: readonly KeyOrder[] = [
  { field: 'CREATED_AT', direction: 'DESC' },
  { field: 'NAME', direction: 'ASC' },
  { field: 'EXPIRES_AT', direction: 'ASC' },
];

describe.each(providers)('on %s', (provider) => {
  let running: RunningService;
  let database: Database;
  const team = randomUUID();
  const caller = callerOf({ [team]: both });
  /** At the end of each of the orders. */
  const [revoked, unrevoked]: [string[], string[]] = [[], []];
  const [past, now] = [new Date('2025-01-01T00:00:00Z'), new Date()];

  beforeAll(async () => {
    running = await startService(provider);
    const { url } = running.database;
    database = await openDatabase(readConfiguration({ DATABASE_URL: url }).DATABASE_URL);
    for (const ids of [revoked, unrevoked]) {
      const keys = { teamId: team, revoked: ids === revoked };
      ids.push(...(await addManyKeys(url, { ...keys, count: 2, name: 'zebra', createdAt: past })));
      await addManyKeys(url, { ...keys, count: maxScannedKeys, expiresAt: new Date('2999-01-01T00:00:00Z') });
    }
  });
  afterAll(async () => {
    await database.close();
    await running.stop();
  });

  const list = (input: Omit<ListKeysInput, 'teamId'>) =>
    listKeys(running.service.management, caller, { teamId: team, ...input });

  it.each(
    orders.flatMap((orderBy) => states.map((state) => ({ orderBy, state, name: `${orderBy.field} of ${state}` }))),
  )(
    'a search that finds no key in 10,000 ends with an empty page, and later pages have every key: $name',
    async ({ orderBy, state }) => {
      const found: string[] = [];
      let after: string | undefined;
      for (let pages = 0; pages === 0 || after !== undefined; pages += 1) {
        const page = await list({ first: 5, filter: { search: 'zebra', state }, orderBy, after });
        if (pages === 0) expect(page).toMatchObject({ edges: [], hasNextPage: true, endCursor: expect.any(String) });
        found.push(...page.edges.map(({ node }) => node.id));
        after = page.hasNextPage ? (page.endCursor ?? page.edges.at(-1)?.cursor) : undefined;
      }
      const expected = [...(state.includes('REVOKED') ? revoked : []), ...(state.includes('ACTIVE') ? unrevoked : [])];
      expect(found.toSorted()).toEqual(expected.toSorted());
    },
  );

  it('no search, total, overview or selection compares more than 10,000 keys, in chunks of at most 250', async () => {
    const chunks: number[] = [];
    const reader = {
      $queryRaw: async (statement: TemplateStringsArray, ...values: unknown[]) => {
        const rows = await database.reader.$queryRaw<{ readonly scanned?: number | bigint }[]>(statement, ...values);
        // A page that needs no search is read by one statement.
        chunks.push(...(rows[0]?.scanned === undefined ? [rows.length] : rows.map(({ scanned }) => Number(scanned))));
        return rows;
      },
    };
    const keys = new Keys(reader as unknown as PrismaClient, provider);
    const scannedBy = async (call: () => Promise<unknown>) => {
      chunks.length = 0;
      await call();
      expect(Math.max(...chunks)).toBeLessThanOrEqual(250);
      // One more, to know whether there are more.
      return chunks.reduce((sum, scanned) => sum + scanned, 0) - 1;
    };
    for (const chosen of states) {
      const selection = { teamId: team, now, states: chosen, search: parseSearchText('zebra') };
      for (const orderBy of orders) {
        expect(await scannedBy(() => keys.search({ ...selection, orderBy, limit: 51 }))).toBe(maxScannedKeys);
        // Without conditions, a page is read and nothing else.
        const page = { ...selection, search: undefined, orderBy, limit: 51 };
        expect(await scannedBy(() => keys.search(page))).toBeLessThanOrEqual(51);
      }
      expect(await scannedBy(() => keys.count(selection))).toBe(maxScannedKeys);
      expect(await scannedBy(() => keys.select(selection))).toBe(maxScannedKeys);
    }
    const bounds = { teamId: team, now, soon: now, longAgo: now, rules: noTeamRules };
    // And a row with the number of revoked keys, which an index has.
    expect(await scannedBy(() => keys.overview(bounds))).toBe(maxScannedKeys + 1);
  });

  it('totals and the overview say that they are partial, and are exact as long as they are not', async () => {
    const query = `query ($t: UUID!, $f: KeyFilter) {
      keys(teamId: $t, first: 1, filter: $f) { totalCount totalCountIsPartial }
    }`;
    const ask = async (teamId: string, filter: object) =>
      (await graphql(running.url, sessionToken({ [teamId]: both }), query, { t: teamId, f: filter })).body.data.keys;
    const partial = { totalCount: maxScannedKeys, totalCountIsPartial: true };
    expect(await ask(team, { state: ['REVOKED'] })).toEqual(partial);
    expect(await ask(team, {})).toEqual(partial);
    expect(await ask(team, { search: 'zebra' })).toEqual({ totalCount: 0, totalCountIsPartial: true });
    expect(await readKeysOverview(running.service.management, caller, { teamId: team })).toMatchObject({
      active: maxScannedKeys,
      isPartial: true,
    });
    const full = randomUUID();
    await addManyKeys(running.database.url, { teamId: full, count: maxScannedKeys, revoked: false });
    expect(await ask(full, { state: ['ACTIVE'] })).toEqual({ totalCount: maxScannedKeys, totalCountIsPartial: false });
    expect(
      await readKeysOverview(running.service.management, callerOf({ [full]: both }), { teamId: full }),
    ).toMatchObject({
      active: maxScannedKeys,
      isPartial: false,
    });
  });

  it('a revocation is answered while searches of another team are under way', async () => {
    const { management } = running.service;
    const other = randomUUID();
    const [id = ''] = await addManyKeys(running.database.url, { teamId: other, count: 1, revoked: false });
    let [left, leftAtAnswer] = [20, 0];
    const searches = Array.from({ length: left }, () =>
      list({ first: 50, filter: { search: 'zebra', state: ['REVOKED'] } }).finally(() => {
        left -= 1;
      }),
    );
    const revoking = revokeKey(management, callerOf({ [other]: both }), id).finally(() => {
      leftAtAnswer = left;
    });
    await revoking;
    await Promise.allSettled(searches);
    expect(leftAtAnswer).toBeGreaterThan(0);
  });

  it('a bulk revocation of a team with more keys is continued where its dry run ended', async () => {
    const { management } = running.service;
    const input = { teamId: team, filter: { search: 'zebra' } };
    const first = await revokeKeys(management, caller, { ...input, dryRun: true });
    expect(first).toMatchObject({ count: 0, endCursor: expect.any(String) });
    const rest = { ...input, after: first.endCursor };
    const { selection, ...found } = await revokeKeys(management, caller, { ...rest, dryRun: true });
    expect(found).toMatchObject({ count: unrevoked.length, endCursor: null });
    const done = await revokeKeys(management, caller, { ...rest, dryRun: false, selection });
    expect(done).toMatchObject({ count: unrevoked.length, skipped: 0, endCursor: null });
    for (const id of unrevoked) expect((await management.store.keys.find(id))?.revokedAt).not.toBeNull();
    const made = revokeKeys(management, caller, { ...input, dryRun: true, after: 'made up' });
    await expect(made).rejects.toMatchObject({ code: 'BAD_USER_INPUT', fields: [{ field: 'after' }] });
  });
});
