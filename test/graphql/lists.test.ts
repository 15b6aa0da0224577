/** Lists of keys, their totals and the overview, compared with one simple model, in any order and at any size of pages. */
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { type ApiKey, stateOf } from '../../src/domain/key/api-key.ts';
import { createKey } from '../../src/manage/change/create-key.ts';
import { revokeKey } from '../../src/manage/change/key-state.ts';
import { endOverlap, rotateKey } from '../../src/manage/change/rotate-key.ts';
import { disableSigning, enableSigning, rotateSigningSecret } from '../../src/manage/change/signing.ts';
import { updateKey } from '../../src/manage/change/update-key.ts';
import { type KeyValuesInput, readKeyValues } from '../../src/manage/read/read-key-values.ts';
import { type ListKeysInput, listKeys, readKeysOverview } from '../../src/manage/read/read-keys.ts';
import { theProvider } from '../support/databases.ts';
import { inTests } from '../support/in-tests.ts';
import { both, callerOf, graphql, sessionToken, startService } from '../support/service.ts';

type Filter = NonNullable<ListKeysInput['filter']>;
type Order = NonNullable<ListKeysInput['orderBy']>;

interface Made {
  readonly key: ApiKey;
  readonly signing: boolean;
  readonly lastUsedAt: Date | null;
  readonly creator: string;
  /** Of the last seven days. */
  readonly calls: number;
}

const now = new Date('2026-06-01T12:00:00.000Z');
const inDays = (days: number, ms = 0) => new Date(now.getTime() + days * 86_400_000 + ms);

const running = inTests(() => startService(theProvider));
const [team, otherTeam] = [randomUUID(), randomUUID()];
const caller = callerOf({ [team]: both, [otherTeam]: both }, now);
let made: Made[] = [];

const names = ['Straße', 'ALPHA', 'beta_1', 'beta%2', 'Ünder'];
// Exactly at the bounds of the filters below, and one millisecond beside them.
const expiries = [null, inDays(-1), inDays(0, -1), now, inDays(14, -1), inDays(14), inDays(40)];
const uses = [null, inDays(-200), inDays(-90, -1), inDays(-90), inDays(-1)];

/** Several keys share a moment of creation, a name or an expiry. */
async function make(i: number, teamId: string): Promise<Made> {
  const { management } = running.service;
  const creator = i % 3 === 0 ? 'ann' : 'tester';
  const { session, ...by } = callerOf({ [teamId]: both }, inDays(-300 + (i % 9)));
  const { apiKey } = await createKey(
    management,
    { ...by, session: { ...session, subject: creator } },
    {
      teamId,
      name: names[Math.floor(i / expiries.length) % names.length] ?? '',
      env: i % 4 === 0 ? 'test' : 'live',
      expiresAt: expiries[i % expiries.length] ?? null,
      allowedIps: i % 3 === 1 ? ['10.0.0.1'] : [],
      scopes: ['read', 'write', 'admin'].slice(0, i % 4),
      tags: i % 5 === 0 ? ['billing', 'Été'] : [],
      externalId: i % 6 === 0 ? `customer-${i % 4}` : null,
      rateLimit: i % 4 === 1 ? { limit: 5, windowSeconds: 60 } : null,
    },
  );
  const lastUsedAt = uses[i % uses.length] ?? null;
  const counts = [{ code: lastUsedAt === null ? ('EXPIRED' as const) : ('VALID' as const), count: 1 }];
  const use = { keyId: apiKey.id, teamId, version: 1, lastUsedAt };
  const calls = i % 6;
  await management.store.usage.add([{ ...use, hour: inDays(-300), counts }]);
  // The window of the order by calls begins with the sixth day before.
  await management.store.usage.add([{ ...use, hour: inDays(-7), counts: [{ code: 'EXPIRED', count: 100 - i }] }]);
  for (const hour of [now, inDays(-6)].slice(0, calls === 0 ? 0 : calls === 1 ? 1 : 2)) {
    const count = hour === now ? 1 : calls - 1;
    await management.store.usage.add([{ ...use, hour, counts: [{ code: 'EXPIRED', count }] }]);
  }
  const signing = i % 2 === 0;
  if (signing) await enableSigning(management, caller, apiKey.id);
  const key = i % 11 === 5 ? await revokeKey(management, caller, apiKey.id) : apiKey;
  return { key, signing: signing && key.revokedAt === null, lastUsedAt, creator, calls };
}

function meets({ key, signing, lastUsedAt, creator }: Made, filter: Filter): boolean {
  const states = filter.state ?? ['ACTIVE', 'EXPIRED'];
  const search = filter.search?.toLowerCase() ?? '';
  return (
    states.includes(stateOf(key, now)) &&
    (filter.env == null || key.env === filter.env) &&
    [key.name, key.prefix].some((text) => text.toLowerCase().includes(search)) &&
    (filter.signingEnabled == null || signing === filter.signingEnabled) &&
    (filter.hasAllowedIps == null || key.allowedIps.length > 0 === filter.hasAllowedIps) &&
    (filter.neverExpires == null || (key.expiresAt === null) === filter.neverExpires) &&
    (filter.hasRateLimit == null || (key.rateLimit !== null) === filter.hasRateLimit) &&
    (filter.createdBy == null || creator === filter.createdBy) &&
    (filter.scopes ?? []).every((scope) => key.scopes.includes(scope)) &&
    (filter.expiresBefore == null || (key.expiresAt !== null && key.expiresAt < filter.expiresBefore)) &&
    (filter.expiresAfter == null || (key.expiresAt !== null && key.expiresAt > filter.expiresAfter)) &&
    (filter.createdBefore == null || key.createdAt < filter.createdBefore) &&
    (filter.neverUsed == null || (lastUsedAt === null) === filter.neverUsed) &&
    (filter.unusedSince == null || lastUsedAt === null || lastUsedAt < filter.unusedSince)
  );
}

const idsOf = (keys: readonly Made[]) => keys.map(({ key }) => key.id);
const expected = (filter: Filter) => idsOf(made.filter((one) => meets(one, filter))).sort();

async function everyPage(input: Omit<ListKeysInput, 'teamId'>): Promise<string[]> {
  const ids: string[] = [];
  let after: string | undefined;
  for (;;) {
    const page = await listKeys(running.service.management, caller, { teamId: team, ...input, after });
    expect(page.edges.length).toBeLessThanOrEqual(input.first);
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
  made = [];
  for (let i = 0; i < 2 * expiries.length * uses.length; i += 1) made.push(await make(i, team));
  for (let i = 0; i < 10; i += 1) await make(i, otherTeam);
});

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
  { env: 'test' },
  ...[true, false].flatMap((is) => [{ hasAllowedIps: is }, { neverExpires: is }, { hasRateLimit: is }]),
  { scopes: ['read'] },
  { scopes: ['write', 'read'] },
  { createdBy: 'ann' },
  { createdBy: 'ann', state: ['REVOKED'] },
  // Live keys that anyone can use from anywhere.
  { state: ['ACTIVE'], env: 'live', hasAllowedIps: false, signingEnabled: false },
  { state: ['EXPIRED'] },
  { state: ['REVOKED'] },
  { state: ['EXPIRED', 'REVOKED'] },
  { state: ['ACTIVE', 'EXPIRED', 'REVOKED'] },
  ...['straße', 'alp', 'a_1', '%', '_', 'ÜNDER'].map((search) => ({ search })),
])('lists exactly the keys that meet %j, a search in upper or lower case and without wildcards', async (filter) => {
  const listed = await everyPage({ first: 3, filter });
  expect(listed.sort()).toEqual(expected(filter));
  expect(listed.length).toBeGreaterThan(0);
  expect(await totalOf(filter)).toBe(listed.length);
});

it('keys are rotating while a previous secret or signing secret is accepted, and no longer', async () => {
  const other = randomUUID();
  const { management } = running.service;
  const at = (ms: number) => callerOf({ [other]: both }, new Date(now.getTime() + ms));
  const idsByName = new Map<string, string>();
  const keyOf = async (name: string, ...changes: readonly ((id: string) => Promise<unknown>)[]) => {
    const { apiKey } = await createKey(management, at(-10_000), { teamId: other, name, env: 'live' });
    idsByName.set(apiKey.id, name);
    for (const change of changes) await change(apiKey.id);
  };
  const rotate = (ms: number, overlapSeconds: number) => (id: string) =>
    rotateKey(management, at(ms), id, { overlapSeconds });
  const sign = (id: string) => enableSigning(management, at(-5000), id);
  const rotateSigning = (ms: number, overlapSeconds: number) => (id: string) =>
    rotateSigningSecret(management, at(ms), id, overlapSeconds);
  await keyOf('never rotated', sign);
  await keyOf('without overlap', rotate(-1000, 0), sign, rotateSigning(-1000, 0));
  await keyOf('overlap', rotate(-1000, 2));
  await keyOf('overlap that ends now', rotate(-1000, 1));
  await keyOf('overlap that has ended', rotate(-1001, 1));
  await keyOf('overlap that was ended', rotate(-1000, 2), (id) => endOverlap(management, at(-500), id));
  await keyOf('signing overlap', sign, rotateSigning(-1000, 2));
  await keyOf('signing overlap that ends now', sign, rotateSigning(-1000, 1));
  await keyOf('signing overlap that has ended', sign, rotateSigning(-1001, 1));
  await keyOf('signing disabled', sign, rotateSigning(-1000, 2), (id) => disableSigning(management, at(-500), id));
  await keyOf('revoked', rotate(-1000, 2), (id) => revokeKey(management, at(-500), id));
  const listed = async (rotating: boolean) => {
    const filter = { rotating, state: ['ACTIVE', 'REVOKED'] } as const;
    const page = await listKeys(management, at(0), { teamId: other, first: 500, filter });
    expect((await page.countAll()).count).toBe(page.edges.length);
    return page.edges.map(({ node }) => idsByName.get(node.id));
  };
  const rotating = ['overlap', 'overlap that ends now', 'signing overlap', 'signing overlap that ends now'];
  expect((await listed(true)).sort()).toEqual(rotating);
  expect(new Set(await listed(false))).toEqual(
    new Set([...idsByName.values()].filter((name) => !rotating.includes(name))),
  );
});

it('a search finds a key by its prefix, and nothing where no key matches', async () => {
  const [one] = made.filter((each) => meets(each, {}));
  expect(await everyPage({ first: 10, filter: { search: one?.key.prefix } })).toEqual([one?.key.id]);
  expect(await everyPage({ first: 10, filter: { search: '\\' } })).toEqual([]);
  const filter = { neverUsed: false, unusedSince: new Date('0001-01-01T00:00:00Z') };
  expect(await everyPage({ first: 10, filter })).toEqual([]);
  expect(await totalOf({ state: ['ACTIVE'], expiresBefore: inDays(-2) })).toBe(0);
});

const orderedBy: Readonly<Record<Order['field'], (one: Made) => number | string>> = {
  CREATED_AT: ({ key }) => key.createdAt.getTime(),
  // Keys that never expire count as the last to expire.
  EXPIRES_AT: ({ key }) => key.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
  NAME: ({ key }) => key.name.toLowerCase(),
  // Keys that were never used count as the first.
  LAST_USED_AT: ({ lastUsedAt }) => lastUsedAt?.getTime() ?? 0,
  CALLS: ({ calls }) => calls,
};
const compare = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0);

it.each(
  (['CREATED_AT', 'NAME', 'EXPIRES_AT', 'LAST_USED_AT', 'CALLS'] as const).flatMap((field) =>
    (['ASC', 'DESC'] as const).map((direction) => ({ field, direction })),
  ),
)('by $field, $direction, pages of any size contain every matching key once, in order', async (orderBy) => {
  const ofKey = orderedBy[orderBy.field];
  for (const filter of [{}, { unusedSince: inDays(-90), expiresBefore: inDays(14), signingEnabled: true }]) {
    const sorted = made
      .filter((one) => meets(one, filter))
      .sort((a, b) => compare(ofKey(a), ofKey(b)) || compare(a.key.id, b.key.id));
    if (orderBy.direction === 'DESC') sorted.reverse();
    expect(sorted.length).toBeGreaterThan(5);
    for (const first of [1, 3, 7, 500]) {
      const listed = await everyPage({ first, filter, orderBy });
      // The databases may sort letters beyond ASCII apart.
      if (orderBy.field === 'NAME') expect(namesIn(listed)).toEqual(namesIn(idsOf(sorted)));
      else expect(listed).toEqual(idsOf(sorted));
      expect(listed.toSorted()).toEqual(idsOf(sorted).sort());
    }
  }
});

/** The ASCII names of these keys, without repeats of neighbors. */
function namesIn(ids: readonly string[]): (string | undefined)[] {
  const all = ids
    .map((id) => made.find(({ key }) => key.id === id)?.key.name)
    .filter((name) => /^[ -~]+$/.test(`${name}`));
  return all.filter((name, i) => name !== all[i - 1]);
}

it('a new key is not counted as unused for 90 days, and one that is 90 days old is', async () => {
  const other = randomUUID();
  const { management } = running.service;
  for (const age of [-1, -90, -91]) {
    const creator = callerOf({ [other]: both }, inDays(age));
    await createKey(management, creator, { teamId: other, name: `${age}`, env: 'live' });
  }
  const at = callerOf({ [other]: both }, now);
  expect(await readKeysOverview(management, at, { teamId: other })).toMatchObject({
    neverUsed: 3,
    unusedFor90Days: 1,
    at: now,
  });
  const longAgo = inDays(-90);
  const filter = { unusedSince: longAgo, createdBefore: longAgo };
  const { countAll } = await listKeys(management, at, { teamId: other, first: 1, filter });
  expect(await countAll()).toEqual({ count: 1, isPartial: false });
});

it('each number of the overview is that of the list with the same conditions', async () => {
  const overview = await readKeysOverview(running.service.management, caller, { teamId: team });
  const active = (filter: Filter) => expected({ state: ['ACTIVE'], ...filter }).length;
  expect(overview).toEqual({
    active: active({}),
    expired: expected({ state: ['EXPIRED'] }).length,
    disabled: 0,
    revoked: expected({ state: ['REVOKED'] }).length,
    leaked: 0,
    expiringSoon: active({ expiresBefore: inDays(14) }),
    neverUsed: active({ neverUsed: true }),
    unusedFor90Days: active({ unusedSince: inDays(-90), createdBefore: inDays(-90) }),
    violating: 0,
    isPartial: false,
    at: now,
  });
  expect(new Set(Object.values(overview)).size).toBe(9);
  const nobody = randomUUID();
  const none = {
    ...{ active: 0, expired: 0, disabled: 0, leaked: 0, revoked: 0, violating: 0 },
    ...{ expiringSoon: 0, neverUsed: 0, unusedFor90Days: 0 },
  };
  const them = callerOf({ [nobody]: both }, now);
  const theirs = await readKeysOverview(running.service.management, them, { teamId: nobody });
  expect(theirs).toEqual({ ...none, isPartial: false, at: now });
});

it('an overview with a filter counts the keys that meet it, in each state', async () => {
  const filter: Filter = { createdBy: 'ann', expiresBefore: inDays(20), state: ['DISABLED'] };
  const input = { teamId: team, filter };
  const overview = await readKeysOverview(running.service.management, caller, input);
  const count = (more: Filter) => expected({ ...filter, ...more }).length;
  expect(overview).toMatchObject({
    active: count({ state: ['ACTIVE'] }),
    expired: count({ state: ['EXPIRED'] }),
    revoked: count({ state: ['REVOKED'] }),
    expiringSoon: count({ state: ['ACTIVE'], expiresBefore: inDays(14) }),
    neverUsed: count({ state: ['ACTIVE'], neverUsed: true }),
  });
  expect(overview.active).toBeGreaterThan(overview.expiringSoon);
});

const values = ({ teamId = team, ...input }: Partial<KeyValuesInput> & Pick<KeyValuesInput, 'field'>, by = caller) =>
  readKeyValues(running.service.management, by, { teamId, ...input });

interface ValuesCase {
  readonly field: KeyValuesInput['field'];
  readonly filter?: Filter;
  readonly of: (one: Made) => readonly string[];
}

it.each<ValuesCase>([
  { field: 'ENV', of: ({ key }) => [key.env] },
  { field: 'TAG', of: ({ key }) => key.tags },
  { field: 'SCOPE', of: ({ key }) => key.scopes },
  { field: 'SCOPE', filter: { env: 'live', createdBy: 'ann' }, of: ({ key }) => key.scopes },
  {
    field: 'EXTERNAL_ID',
    filter: { state: ['REVOKED', 'ACTIVE'] },
    of: ({ key: { externalId } }) => (externalId === null ? [] : [externalId]),
  },
  { field: 'CREATED_BY', of: ({ creator }) => [creator] },
])(
  'the values of $field are those of the keys that meet $filter, each with their number',
  async ({ field, filter, of }) => {
    const counts: Record<string, number> = {};
    for (const value of made.filter((one) => meets(one, filter ?? {})).flatMap(of)) {
      counts[value] = (counts[value] ?? 0) + 1;
    }
    const listed = await values({ field, filter });
    expect(Object.fromEntries(listed.values.map(({ value, count }) => [value, count]))).toEqual(counts);
    expect(listed).toMatchObject({ hasMore: false, isPartial: false });
    const numbers = listed.values.map(({ count }) => count);
    expect(numbers).toEqual(numbers.toSorted((a, b) => b - a));
    expect(numbers.length).toBeGreaterThan(1);
  },
);

it('of many values, the 100 most used ones are listed, and a search finds the others, in any case', async () => {
  const other = randomUUID();
  const by = callerOf({ [other]: both }, now);
  for (let i = 0; i < 6; i += 1) {
    const tags = Array.from({ length: 20 }, (_, tag) => `Label ${i * 19 + tag}`);
    await createKey(running.service.management, by, { teamId: other, name: 'x', env: 'live', tags });
  }
  const listed = await values({ teamId: other, field: 'TAG' }, by);
  expect(listed).toMatchObject({ hasMore: true, isPartial: false });
  expect(listed.values).toHaveLength(100);
  expect(listed.values[0]).toEqual({ value: 'Label 19', count: 2 });
  const found = await values({ teamId: other, field: 'TAG', search: 'LABEL 11' }, by);
  expect(found.hasMore).toBe(false);
  expect(found.values.map(({ value }) => value).sort()).toEqual([
    'Label 11',
    ...[0, 1, 2, 3, 4].map((i) => `Label 11${i}`),
  ]);
});

it('the values and counts of a team need view_team', async () => {
  const stranger = callerOf({ [otherTeam]: both }, now);
  const mine = callerOf({ [team]: ['manage_keys'] }, now);
  for (const by of [stranger, mine]) {
    await expect(values({ field: 'TAG' }, by)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    const counted = readKeysOverview(running.service.management, by, { teamId: team });
    await expect(counted).rejects.toMatchObject({ code: 'FORBIDDEN' });
  }
});

it('over GraphQL, a key has its creator and the number of its sources', async () => {
  const document = `query ($teamId: UUID!) { keys(teamId: $teamId, first: 500) { nodes { id createdBy allowedIpsCount } } }`;
  const { nodes } = (await ask({}, document)).data.keys;
  for (const { id, createdBy, allowedIpsCount } of nodes) {
    const one = made.find(({ key }) => key.id === id);
    expect([createdBy, allowedIpsCount]).toEqual([one?.creator, one?.key.allowedIps.length]);
  }
  expect(nodes.length).toBe(expected({}).length);
});

const query = `query ($teamId: UUID!, $first: Int! = 50, $after: String, $filter: KeyFilter) {
  keys(teamId: $teamId, first: $first, after: $after, filter: $filter) { nodes { id } }
}`;
const ask = async (variables: object, document = query) =>
  (await graphql(running.url, sessionToken({ [team]: both }), document, { teamId: team, ...variables })).body;

it('over GraphQL, the total is counted only if it is selected', async () => {
  const { keys } = running.service.management.store;
  const { count } = keys;
  let counted = 0;
  keys.count = async (selection) => {
    counted += 1;
    return await count.call(keys, selection);
  };
  const filter: Filter = { state: ['REVOKED'], neverUsed: true };
  try {
    expect((await ask({ filter, first: 2 })).data.keys.nodes).toHaveLength(2);
    expect(counted).toBe(0);
    const { totalCount } = (await ask({ filter }, query.replace('nodes { id }', 'totalCount'))).data.keys;
    expect([totalCount, counted]).toEqual([expected(filter).length, 1]);
  } finally {
    keys.count = count;
  }
});

const cursor = (text: string) => ({ after: Buffer.from(text).toString('base64url') });
const notOfThisList = 'must be a cursor of this list, from the same orderBy';
const years = 'must be in the years 1 to 9999';
const moments = ['expiresBefore', 'expiresAfter', 'createdBefore', 'unusedSince'];

it.each([
  [{ first: 0 }, 'first', 'must be from 1 to 500'],
  [{ first: 501 }, 'first', 'must be from 1 to 500'],
  [{ after: 'junk!' }, 'after', notOfThisList],
  [cursor('["NAME","x","y"]'), 'after', notOfThisList],
  [cursor('["CREATED_AT",1e300,"y"]'), 'after', notOfThisList],
  [{ filter: { state: [] } }, 'filter.state', 'must have at least one state, or be omitted'],
  // It would otherwise select every key.
  [{ filter: { tags: [] } }, 'filter.tags', 'must have at least one tag, or be omitted'],
  [{ filter: { scopes: [] } }, 'filter.scopes', 'must have at least one scope, or be omitted'],
  [{ filter: { createdBy: '' } }, 'filter.createdBy', 'must have 1 to 255 characters, and no control characters'],
  [cursor('["CALLS","x","y"]'), 'after', notOfThisList],
  [{ filter: { search: '' } }, 'filter.search', 'must have 1 to 4000 characters after trimming'],
  [{ filter: { search: 'a\u0000' } }, 'filter.search', 'must have no control characters'],
  ...moments.flatMap((name): [object, string, string][] =>
    ['0000-06-01T00:00:00Z', '9999-12-31T23:59:59-01:00', '0001-01-01T00:00:00+01:00'].map((moment) => [
      { filter: { [name]: moment } },
      `filter.${name}`,
      years,
    ]),
  ),
])('%j is rejected, naming %s', async (input, field, message) => {
  const { extensions } = (await ask(input)).errors[0];
  expect(extensions).toMatchObject({ code: 'BAD_USER_INPUT', errors: [{ field, message }] });
});

it.each(['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z'])('%s is accepted in every filter', async (moment) => {
  for (const name of moments) expect((await ask({ filter: { [name]: moment } })).errors).toBeUndefined();
});

// The last ones: they change keys.
it('creates and revokes between two pages neither repeat nor skip other keys', async () => {
  const { management } = running.service;
  const page = await listKeys(management, caller, { teamId: team, first: 5 });
  const [seen] = page.edges;
  await createKey(management, caller, { teamId: team, name: 'newest', env: 'live' });
  await revokeKey(management, caller, seen?.node.id ?? '');
  const rest = await listKeys(management, caller, { teamId: team, first: 500, after: page.edges.at(-1)?.cursor });
  const listed = [...page.edges, ...rest.edges].map(({ node }) => node.id);
  expect(listed.toSorted()).toEqual(expected({}));
});

it('a used key that is changed is still listed as used', async () => {
  const filter = { neverUsed: false };
  const [id = ''] = await everyPage({ first: 1, filter });
  await updateKey(running.service.management, caller, id, { name: 'Changed' });
  expect(await everyPage({ first: 500, filter })).toContain(id);
});
