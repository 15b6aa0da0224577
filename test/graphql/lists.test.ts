/** Lists of keys stay right at any size, in any order, while keys come and go. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApiKey } from '../../src/domain/key/api-key.ts';
import { createKey } from '../../src/manage/change/create-key.ts';
import { revokeKey } from '../../src/manage/change/key-state.ts';
import { type ListKeysInput, listKeys } from '../../src/manage/read/read-keys.ts';
import { theProvider } from '../support/databases.ts';
import { both, callerOf, graphql, type RunningService, sessionToken, startService } from '../support/service.ts';

const start = Date.parse('2026-01-01T00:00:00Z');
const hour = 3_600_000;

let running: RunningService;
const team = randomUUID();
/** The names say what the keys are; several share a moment of creation, a name or an expiry. */
let made: ApiKey[] = [];

const at = (hours: number) => callerOf({ [team]: both }, new Date(start + hours * hour));
const now = at(100);

async function everyPage(input: Omit<ListKeysInput, 'teamId'>): Promise<string[]> {
  const ids: string[] = [];
  let after: string | undefined;
  for (;;) {
    const page = await listKeys(running.service.management, now, { teamId: team, ...input, after });
    ids.push(...page.edges.map(({ node }) => node.id));
    expect(page.edges.length).toBeLessThanOrEqual(input.first);
    if (!page.hasNextPage) return ids;
    after = page.edges.at(-1)?.cursor;
  }
}

const expired = (key: ApiKey) => key.expiresAt !== null && key.expiresAt.getTime() <= now.now.getTime();
const compare = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0);
const ids = (keys: readonly ApiKey[]) => keys.map(({ id }) => id);
const ours = async (input: Omit<ListKeysInput, 'teamId'>) => {
  const known = new Set(ids(made));
  return (await everyPage(input)).filter((id) => known.has(id));
};

beforeAll(async () => {
  running = await startService(theProvider);
  made = [];
  const { management } = running.service;
  for (let i = 0; i < 40; i += 1) {
    const { apiKey } = await createKey(management, at(Math.floor(i / 3)), {
      teamId: team,
      name: ['Straße', 'ALPHA', 'beta_1', 'beta%2', 'Ünder'][i % 5] ?? '',
      env: i % 4 === 0 ? 'test' : 'live',
      expiresAt: i % 3 === 0 ? null : new Date(start + (80 + 2 * (i % 20)) * hour),
    });
    made.push(i % 7 === 0 ? await revokeKey(management, at(50), apiKey.id) : apiKey);
  }
});
afterAll(() => running.stop());

it.each([1, 2, 3, 7, 500])('pages of %i hold every key once, newest first', async (first) => {
  const expected = made
    .filter((key) => key.revokedAt === null)
    .sort((a, b) => compare(b.createdAt.getTime(), a.createdAt.getTime()) || compare(b.id, a.id));
  expect(await ours({ first })).toEqual(ids(expected));
});

it.each([
  ['ACTIVE'],
  ['EXPIRED'],
  ['REVOKED'],
  ['ACTIVE', 'REVOKED'],
  ['EXPIRED', 'REVOKED'],
  ['ACTIVE', 'EXPIRED', 'REVOKED'],
] as const)('only the requested states are listed: %s %s %s', async (...asked) => {
  const states = asked.filter((state) => state !== undefined);
  const stateOf = (key: ApiKey) => (key.revokedAt !== null ? 'REVOKED' : expired(key) ? 'EXPIRED' : 'ACTIVE');
  const expected = made.filter((key) => states.includes(stateOf(key)));
  expect(expected.length).toBeGreaterThan(0);
  expect((await ours({ first: 4, filter: { state: states } })).sort()).toEqual(ids(expected).sort());
});

it.each([
  ['STRASSE', []],
  ['straße', ['Straße']],
  ['alp', ['ALPHA']],
  ['a_1', ['beta_1']],
  ['%', ['beta%2']],
  ['_', ['Straße', 'ALPHA', 'beta_1', 'beta%2', 'Ünder']],
  ['ÜNDER', ['Ünder']],
  ['\\', []],
])(
  'a search for %s finds it in names and prefixes, in upper or lower case, without wildcards',
  async (search, names) => {
    // The random part of a prefix can contain a short search by chance.
    const isFound = ({ name, prefix }: ApiKey) =>
      names.includes(name) || prefix.toLowerCase().includes(search.toLowerCase());
    const expected = made.filter((key) => key.revokedAt === null && isFound(key));
    expect((await ours({ first: 10, filter: { search } })).sort()).toEqual(ids(expected).sort());
  },
);

it('a search finds a key by its prefix, and a filter by environment works', async () => {
  const [key] = made.filter(({ revokedAt }) => revokedAt === null);
  expect(await ours({ first: 10, filter: { search: key?.prefix ?? '' } })).toEqual([key?.id]);
  const test = made.filter(({ env, revokedAt }) => env === 'test' && revokedAt === null);
  expect((await ours({ first: 3, filter: { env: 'test' } })).sort()).toEqual(ids(test).sort());
});

it.each(['ASC', 'DESC'] as const)(
  'by expiry, %s, keys that never expire count as the last to expire',
  async (direction) => {
    const rank = (key: ApiKey) => key.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY;
    const sign = direction === 'ASC' ? 1 : -1;
    const expected = made
      .filter((key) => key.revokedAt === null)
      .sort((a, b) => sign * (compare(rank(a), rank(b)) || compare(a.id, b.id)));
    for (const first of [1, 4, 500]) {
      expect(await ours({ first, orderBy: { field: 'EXPIRES_AT', direction } })).toEqual(ids(expected));
    }
  },
);

it.each(['ASC', 'DESC'] as const)(
  'by name, %s, every key is listed once and equal names are adjacent',
  async (direction) => {
    const listed = await ours({ first: 3, orderBy: { field: 'NAME', direction } });
    const names = listed.map((id) => made.find((key) => key.id === id)?.name);
    expect([...listed].sort()).toEqual(ids(made.filter(({ revokedAt }) => revokedAt === null)).sort());
    expect(names.filter((name, i) => name !== names[i - 1])).toHaveLength(new Set(names).size);
    const alphabetic = ['ALPHA', 'beta_1', 'Straße'];
    const found = names.filter((name) => alphabetic.includes(name ?? '')).filter((name, i, all) => name !== all[i - 1]);
    expect(found).toEqual(direction === 'ASC' ? alphabetic : [...alphabetic].reverse());
  },
);

it('creates and revokes between two pages neither repeat nor skip other keys', async () => {
  const { management } = running.service;
  const page = await listKeys(management, now, { teamId: team, first: 5 });
  const [seen] = page.edges;
  await createKey(management, at(99), { teamId: team, name: 'newest', env: 'live' });
  await revokeKey(management, at(99), seen?.node.id ?? '');
  const rest = await listKeys(management, now, { teamId: team, first: 500, after: page.edges.at(-1)?.cursor });
  const listed = [...page.edges, ...rest.edges].map(({ node }) => node.id);
  expect(new Set(listed).size).toBe(listed.length);
  expect(listed).toEqual(expect.arrayContaining(ids(made.filter(({ revokedAt }) => revokedAt === null))));
});

it.each([
  [{ first: 0 }, 'first', 'must be from 1 to 500'],
  [{ first: 501 }, 'first', 'must be from 1 to 500'],
  [{ after: 'junk!' }, 'after', 'must be a cursor of this list, from the same orderBy'],
  [
    { after: Buffer.from('["NAME","x","y"]').toString('base64url') },
    'after',
    'must be a cursor of this list, from the same orderBy',
  ],
  [
    { after: Buffer.from('["CREATED_AT",1e300,"y"]').toString('base64url') },
    'after',
    'must be a cursor of this list, from the same orderBy',
  ],
  [{ filter: { state: [] } }, 'filter.state', 'must have at least one state, or be omitted'],
  [{ filter: { search: '' } }, 'filter.search', 'must have 1 to 100 characters after trimming'],
  [{ filter: { search: 'a\u0000' } }, 'filter.search', 'must have no control characters'],
])('%j is rejected, naming %s', async (input, field, message) => {
  const query = `query ($teamId: UUID!, $first: Int! = 50, $after: String, $filter: KeyFilter) {
      keys(teamId: $teamId, first: $first, after: $after, filter: $filter) { nodes { id } }
    }`;
  const answer = await graphql(running.url, sessionToken({ [team]: both }), query, { teamId: team, ...input });
  expect(answer.body.errors[0].extensions).toMatchObject({ code: 'BAD_USER_INPUT', errors: [{ field, message }] });
});
