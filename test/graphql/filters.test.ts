/** Filters, totals and the overview, compared with one simple model. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ApiKey, stateOf } from '../../src/domain/key/api-key.ts';
import { createKey } from '../../src/manage/change/create-key.ts';
import { revokeKey } from '../../src/manage/change/key-state.ts';
import { enableSigning } from '../../src/manage/change/signing.ts';
import { updateKey } from '../../src/manage/change/update-key.ts';
import { type ListKeysInput, listKeys } from '../../src/manage/read/read-keys.ts';
import { readKeysOverview } from '../../src/manage/read/read-keys-overview.ts';
import { theProvider } from '../support/databases.ts';
import { both, callerOf, graphql, type RunningService, sessionToken, startService } from '../support/service.ts';

type Filter = NonNullable<ListKeysInput['filter']>;

interface Made {
  readonly key: ApiKey;
  readonly signing: boolean;
  readonly lastUsedAt: Date | null;
}

const now = new Date('2026-06-01T12:00:00.000Z');
const inDays = (days: number, ms = 0) => new Date(now.getTime() + days * 86_400_000 + ms);

let running: RunningService;
const [team, otherTeam] = [randomUUID(), randomUUID()];
const caller = callerOf({ [team]: both, [otherTeam]: both }, now);
let made: Made[] = [];

// Exactly at the bounds of the filters below, and one millisecond beside them.
const expiries = [null, inDays(-1), now, inDays(0, 1), inDays(14, -1), inDays(14), inDays(40)];
const uses = [null, inDays(-200), inDays(-90, -1), inDays(-90), inDays(-1)];

async function make(i: number, teamId: string): Promise<Made> {
  const { management } = running.service;
  const { apiKey } = await createKey(management, callerOf({ [teamId]: both }, inDays(-300 + (i % 9))), {
    teamId,
    name: ['alpha', 'beta', 'gamma'][i % 3] ?? '',
    env: i % 4 === 0 ? 'test' : 'live',
    expiresAt: expiries[i % expiries.length] ?? null,
  });
  const lastUsedAt = uses[i % uses.length] ?? null;
  const counts = [{ code: lastUsedAt === null ? ('EXPIRED' as const) : ('VALID' as const), count: 1 }];
  await management.store.usage.add([{ keyId: apiKey.id, teamId, version: 1, hour: inDays(-300), lastUsedAt, counts }]);
  const signing = i % 2 === 0;
  if (signing) await enableSigning(management, caller, apiKey.id);
  const key = i % 11 === 5 ? await revokeKey(management, caller, apiKey.id) : apiKey;
  return { key, signing: signing && key.revokedAt === null, lastUsedAt };
}

function meets({ key, signing, lastUsedAt }: Made, filter: Filter): boolean {
  const states = filter.state ?? ['ACTIVE', 'EXPIRED'];
  return (
    states.includes(stateOf(key, now)) &&
    (filter.env == null || key.env === filter.env) &&
    (filter.search == null || key.name.includes(filter.search)) &&
    (filter.signingEnabled == null || signing === filter.signingEnabled) &&
    (filter.expiresBefore == null || (key.expiresAt !== null && key.expiresAt < filter.expiresBefore)) &&
    (filter.expiresAfter == null || (key.expiresAt !== null && key.expiresAt > filter.expiresAfter)) &&
    (filter.createdBefore == null || key.createdAt < filter.createdBefore) &&
    (filter.neverUsed == null || (lastUsedAt === null) === filter.neverUsed) &&
    (filter.unusedSince == null || lastUsedAt === null || lastUsedAt < filter.unusedSince)
  );
}

const expected = (filter: Filter) =>
  made
    .filter((one) => meets(one, filter))
    .map(({ key }) => key.id)
    .sort();

async function everyPage(input: Omit<ListKeysInput, 'teamId'>): Promise<string[]> {
  const ids: string[] = [];
  let after: string | undefined;
  for (;;) {
    const page = await listKeys(running.service.management, caller, { teamId: team, ...input, after });
    ids.push(...page.edges.map(({ node }) => node.id));
    if (!page.hasNextPage) return ids;
    after = page.edges.at(-1)?.cursor;
  }
}

const totalOf = async (filter: Filter) =>
  (await (await listKeys(running.service.management, caller, { teamId: team, first: 1, filter })).countAll()).count;

const anyOf = <T>(...values: readonly T[]) => [undefined, ...values];
const combinations: Filter[] = anyOf(true, false).flatMap((signingEnabled) =>
  anyOf(now, inDays(14)).flatMap((expiresBefore) =>
    anyOf(true, false).flatMap((neverUsed) =>
      anyOf(inDays(-90), inDays(-400)).flatMap((unusedSince) =>
        anyOf(['ACTIVE'] as const, ['ACTIVE', 'REVOKED'] as const).map((state) => ({
          signingEnabled,
          expiresBefore,
          neverUsed,
          unusedSince,
          state,
        })),
      ),
    ),
  ),
);

beforeAll(async () => {
  running = await startService(theProvider);
  made = [];
  for (let i = 0; i < 2 * expiries.length * uses.length; i += 1) made.push(await make(i, team));
  for (let i = 0; i < 10; i += 1) await make(i, otherTeam);
});
afterAll(() => running.stop());

it('every combination of conditions lists the keys that meet all of them, and counts as many', async () => {
  for (const filter of combinations) {
    const listed = await everyPage({ first: 500, filter });
    expect(listed.sort(), JSON.stringify(filter)).toEqual(expected(filter));
    expect(await totalOf(filter), JSON.stringify(filter)).toBe(listed.length);
  }
  const sizes = new Set(combinations.map((filter) => expected(filter).length));
  expect(sizes.size).toBeGreaterThan(10);
});

it.each<Filter>([
  { expiresAfter: now },
  { expiresAfter: inDays(14), expiresBefore: inDays(41) },
  { expiresAfter: inDays(0, -1), expiresBefore: inDays(14), state: ['ACTIVE'] },
  { createdBefore: inDays(-296) },
  { createdBefore: inDays(-296), unusedSince: inDays(-90), signingEnabled: true },
])('lists exactly the keys that expire after and were created before a time: %j', async (filter) => {
  const listed = await everyPage({ first: 3, filter });
  expect(listed.sort()).toEqual(expected(filter));
  expect(listed.length).toBeGreaterThan(0);
  expect(await totalOf(filter)).toBe(listed.length);
});

it('a new key is not counted as unused for 90 days, and one that is 90 days old is', async () => {
  const other = randomUUID();
  const { management } = running.service;
  for (const age of [-1, -90, -91]) {
    const creator = callerOf({ [other]: both }, inDays(age));
    await createKey(management, creator, { teamId: other, name: `${age}`, env: 'live' });
  }
  const at = callerOf({ [other]: both }, now);
  expect(await readKeysOverview(management, at, other)).toMatchObject({ neverUsed: 3, unusedFor90Days: 1, at: now });
  const longAgo = inDays(-90);
  const filter = { unusedSince: longAgo, createdBefore: longAgo };
  expect(await (await listKeys(management, at, { teamId: other, first: 1, filter })).countAll()).toEqual({
    count: 1,
    isPartial: false,
  });
});

it('a filter that no key can match gives an empty list, not an error', async () => {
  const filter = { neverUsed: false, unusedSince: new Date('0001-01-01T00:00:00Z') };
  expect(await everyPage({ first: 10, filter })).toEqual([]);
  expect(await totalOf({ state: ['ACTIVE'], expiresBefore: inDays(-2) })).toBe(0);
});

it.each(['CREATED_AT', 'NAME', 'EXPIRES_AT'] as const)(
  'by %s, pages of any size contain every matching key once, and the total does not depend on the page',
  async (field) => {
    const filter: Filter = { unusedSince: inDays(-90), expiresBefore: inDays(14), signingEnabled: true, search: 'a' };
    expect(expected(filter).length).toBeGreaterThan(5);
    for (const direction of ['ASC', 'DESC'] as const) {
      const whole = await everyPage({ first: 500, filter, orderBy: { field, direction } });
      expect([...whole].sort()).toEqual(expected(filter));
      for (const first of [1, 3]) {
        expect(await everyPage({ first, filter, orderBy: { field, direction } })).toEqual(whole);
      }
    }
  },
);

it('a used key that is changed is still listed as used', async () => {
  const used = made.find(({ key, lastUsedAt }) => lastUsedAt !== null && key.revokedAt === null);
  await updateKey(running.service.management, caller, used?.key.id ?? '', { name: `${used?.key.name}x` });
  expect((await everyPage({ first: 500, filter: { neverUsed: false } })).sort()).toEqual(
    expected({ neverUsed: false }),
  );
});

it('each number of the overview is that of the list with the same conditions', async () => {
  const overview = await readKeysOverview(running.service.management, caller, team);
  const active = (filter: Filter) => expected({ state: ['ACTIVE'], ...filter }).length;
  expect(overview).toEqual({
    active: active({}),
    expired: expected({ state: ['EXPIRED'] }).length,
    disabled: 0,
    expiringSoon: active({ expiresBefore: inDays(14) }),
    neverUsed: active({ neverUsed: true }),
    unusedFor90Days: active({ unusedSince: inDays(-90), createdBefore: inDays(-90) }),
    isPartial: false,
    at: now,
  });
  expect(new Set(Object.values(overview)).size).toBe(8);
  const nobody = randomUUID();
  expect(await readKeysOverview(running.service.management, callerOf({ [nobody]: both }), nobody)).toEqual({
    active: 0,
    expired: 0,
    disabled: 0,
    expiringSoon: 0,
    neverUsed: 0,
    unusedFor90Days: 0,
    isPartial: false,
    at: expect.any(Date),
  });
});

it('over GraphQL, the total is counted only if it is selected', async () => {
  const { keys } = running.service.management.store;
  const count = keys.count;
  let counted = 0;
  keys.count = async (selection) => {
    counted += 1;
    return await count.call(keys, selection);
  };
  const ask = async (fields: string) => {
    const query = `query ($teamId: UUID!, $filter: KeyFilter) { keys(teamId: $teamId, first: 2, filter: $filter) { ${fields} } }`;
    const variables = { teamId: team, filter: { state: ['REVOKED'], neverUsed: true } };
    return (await graphql(running.url, sessionToken({ [team]: both }), query, variables)).body.data.keys;
  };
  try {
    expect((await ask('nodes { id }')).nodes).toHaveLength(2);
    expect(counted).toBe(0);
    expect(await ask('totalCount')).toEqual({ totalCount: expected({ state: ['REVOKED'], neverUsed: true }).length });
    expect(counted).toBe(1);
  } finally {
    keys.count = count;
  }
});

it.each(['expiresBefore', 'expiresAfter', 'createdBefore', 'unusedSince'])(
  'a %s outside of the years 1 to 9999 is rejected',
  async (name) => {
    const query = 'query ($t: UUID!, $filter: KeyFilter) { keys(teamId: $t, filter: $filter) { totalCount } }';
    const ask = (moment: string) =>
      graphql(running.url, sessionToken({ [team]: both }), query, { t: team, filter: { [name]: moment } });
    for (const outside of ['0000-06-01T00:00:00Z', '9999-12-31T23:59:59-01:00', '0001-01-01T00:00:00+01:00']) {
      expect((await ask(outside)).body.errors[0].extensions).toMatchObject({
        code: 'BAD_USER_INPUT',
        errors: [{ field: `filter.${name}`, message: 'must be in the years 1 to 9999' }],
      });
    }
    for (const inside of ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z']) {
      expect((await ask(inside)).body.data.keys.totalCount).toEqual(expect.any(Number));
    }
  },
);
