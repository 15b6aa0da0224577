// SECURITY.md: Bytes from outside; Hostile tenant
/** The limits of one GraphQL operation, which are checked before any part of it runs. */
import { randomUUID } from 'node:crypto';
import { getIntrospectionQuery } from 'graphql';
import { describe, expect, it } from 'vitest';
import * as cli from '../../src/cli/service/operations.ts';
import { entriesPageSize, keysPageSize } from '../../src/cli/service/service.ts';
import * as dashboard from '../../src/dashboard/generated/graphql.ts';
import { limits } from '../../src/domain/limits.ts';
import { expensiveDocuments, fillExpensiveTeams, type Run } from '../support/expensive-documents.ts';
import { inTests } from '../support/in-tests.ts';
import { both, graphql, rest, sessionToken, startService } from '../support/service.ts';

const running = inTests(() => startService('sqlite'));
const team = randomUUID();
const token = sessionToken({ [team]: both });

/** The message of the rejection; null where the operation ran, whatever became of it. */
async function rejection(query: string, variables: Readonly<Record<string, unknown>> = {}): Promise<string | null> {
  const { status, body } = await graphql(running.url, token, query, { t: team, ...variables });
  if (body.data !== undefined) return null;
  expect([status, body.errors[0].extensions.code]).toEqual([400, 'BAD_USER_INPUT']);
  return body.errors[0].message;
}

async function costs(query: string, variables: Readonly<Record<string, unknown>> = {}): Promise<number> {
  const message = await rejection(query, variables);
  return Number(/^The operation costs (\d+) points; at most 1000 are allowed\./.exec(message ?? '')?.[1] ?? 0);
}

const times = (count: number, field: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => field(i)).join(' ');
const aliased = (count: number, field: string) => times(count, (i) => `a${i}: ${field}`);
const allFields =
  'id name env prefix state allowedIps expiresAt signingEnabled lastUsedAt createdAt revokedAt revision';

describe('aliases and directives are counted exactly, those of a fragment at each of its uses', () => {
  const fragment = (uses: number, selection: string) =>
    `{ ${times(uses, () => '... @include(if: true) { viewer { ...F } }')} } fragment F on Viewer { ${selection} }`;

  it.each([
    ['15 aliases', `{ ${aliased(15, '__typename')} }`, null],
    ['16 aliases', `{ ${aliased(16, '__typename')} }`, /^The operation has 16 aliases/],
    ['101 aliases', `{ ${aliased(101, '__typename')} }`, /^The operation has 101 aliases/],
    ['15 aliases in fragments', fragment(5, aliased(3, 'subject')), null],
    ['16 aliases in fragments', fragment(4, aliased(4, 'subject')), /^The operation has 16 aliases/],
    ['5 directives', `{ ${times(5, () => '__typename @skip(if: false)')} }`, null],
    ['6 directives', `{ ${times(6, () => '__typename @skip(if: false)')} }`, /^The operation has 6 directives/],
    ['6 directives in fragments', fragment(3, 'subject @skip(if: false)'), /^The operation has 6 directives/],
    ['8 levels', `{ ${'... { '.repeat(7)} __typename ${'} '.repeat(7)} }`, null],
    ['9 levels', `{ ${'... { '.repeat(8)} __typename ${'} '.repeat(8)} }`, /^The operation is 9 levels deep/],
  ])('%s', async (_, query, message) => {
    if (message === null) expect(await rejection(query)).toBeNull();
    else expect(await rejection(query)).toMatch(message);
  });
});

it('a field that is skipped or not included costs nothing, and one that is included costs as usual', async () => {
  const document = (condition: string) =>
    `query ($t: UUID!${condition.includes('$on') ? ', $on: Boolean = false' : ''}) {
      a: keysOverview(teamId: $t) { active }
      b: keysOverview(teamId: $t) { active }
      c: keysOverview(teamId: $t) { active }
      d: keysOverview(teamId: $t) ${condition} { active }
    }`;
  const problemOf = async (condition: string, on?: boolean) => {
    const { body } = await graphql(running.url, token, document(condition), {
      t: team,
      ...(on !== undefined && { on }),
    });
    return body.errors?.[0].message ?? null;
  };
  for (const condition of ['@include(if: $on)', '@skip(if: true)']) expect(await problemOf(condition)).toBeNull();
  const tooMuch = /^The operation costs 12\d\d points/;
  expect(await problemOf('@include(if: $on)', true)).toMatch(tooMuch);
  expect(await problemOf('@skip(if: $on)')).toMatch(tooMuch);
});

it('a document with many unknown directives gets few errors, which end with the reason', async () => {
  const { status, body } = await graphql(running.url, token, `{ __typename ${times(10, () => '@aa')} }`);
  expect([status, body.data]).toEqual([400, undefined]);
  expect(body.errors.map(({ message }: { readonly message: string }) => message)).toEqual([
    ...Array.from({ length: 5 }, () => 'Unknown directive "@aa".'),
    'Too many validation errors, error limit reached. Validation aborted.',
  ]);
});

describe('introspection', () => {
  it('is allowed once in an operation', async () => {
    const whole = getIntrospectionQuery();
    expect(await rejection(whole)).toBeNull();
    const types = '__type(name: "ApiKey") { name }';
    expect(await rejection(`{ ${types} viewer { subject } }`)).toBeNull();
    expect(await rejection(`{ ${types} __schema { queryType { name } } }`)).toBe(
      'The operation selects __schema or __type 2 times; select one of them once in a document.',
    );
  });
});

describe('the cost', () => {
  const page = (first: number, fields: string) => `keys(teamId: $t, first: ${first}) { ${fields} }`;

  it('of nested fragments counts each use, and is calculated without visiting each', async () => {
    const spread = (name: string) => times(160, () => `...${name}`);
    const document = `{ ${spread('A')} } fragment A on Query { ${spread('B')} } fragment B on Query { ${spread('C')} }
      fragment C on Query { __typename }`;
    // Visiting 160³ uses takes a second and more; this many, longer than the universe exists.
    const chain = `{ ...F0 } ${times(6, (i) => `fragment F${i} on Query { ${times(70, () => `...F${i + 1}`)} }`)}
      fragment F6 on Query { __typename }`;
    expect(await costs(document)).toBeGreaterThan(160 ** 3 / 100);
    expect(await costs(chain)).toBeGreaterThan(70 ** 6 / 100);
  });

  it('of a page grows with its size, its fields and its aliases', async () => {
    const document = (first: number, fields: string) => `query ($t: UUID!) { ${page(first, fields)} }`;
    expect(await costs(document(500, `nodes { ${allFields} } totalCount`))).toBe(0);
    expect(await costs(document(500, `nodes { ${allFields} } edges { node { ${allFields} } }`))).toBeGreaterThan(1000);
    expect(await costs(document(100, `nodes { ${allFields} } edges { node { ${allFields} } }`))).toBe(0);
    const small = `query ($t: UUID!) { ${aliased(15, page(10, 'nodes { id }'))} }`;
    const large = `query ($t: UUID!) { ${aliased(15, page(500, 'nodes { id }'))} }`;
    expect([await costs(small), await costs(large)]).toEqual([0, expect.any(Number)]);
    expect(await costs(large)).toBeGreaterThan(1000);
  });

  it('depends on the variables and their defaults, not on how the arguments are written', async () => {
    const fields = `nodes { ${allFields} } edges { node { ${allFields} } }`;
    const document = (definition: string) =>
      `query ($t: UUID!, ${definition}) { keys(teamId: $t, first: $first) { ${fields} } }`;
    const literal = await costs(`query ($t: UUID!) { ${page(500, fields)} }`);
    expect(literal).toBeGreaterThan(1000);
    expect(await costs(document('$first: Int!'), { first: 500 })).toBe(literal);
    expect(await costs(document('$first: Int! = 500'))).toBe(literal);
    expect(await costs(document('$first: Int! = 500'), { first: 50 })).toBe(0);
    expect(await costs(`query ($t: UUID!) { keys(teamId: $t) { ${fields} } }`)).toBe(0);
  });

  it('is the same whether a selection is written out or in fragments', async () => {
    const written = `query ($t: UUID!) { ${aliased(3, page(500, `nodes { ${allFields} }`))} }`;
    const shared = `query ($t: UUID!) { ${aliased(3, page(500, '...P'))} }
      fragment P on ApiKeyConnection { nodes { ...K } } fragment K on ApiKey { ${allFields} }`;
    expect(await costs(shared)).toBe(await costs(written));
  });

  it('of a long name in the answer is counted for each entry of a page', async () => {
    const long = 'a'.repeat(5000);
    expect(await costs(`query ($t: UUID!) { ${page(500, `nodes { ${long}: id }`)} }`)).toBeGreaterThan(2500);
  });

  it.each([
    ['audit pages of 500', 'auditLog(teamId: $t, first: 500) { nodes { id action changes { field before after } } }'],
    ['pages of 500 keys', 'keys(teamId: $t, first: 500) { nodes { id } }'],
    ['searches', 'keys(teamId: $t, filter: { search: "x" }) { nodes { id } }'],
    ['totals', 'keys(teamId: $t, first: 1) { totalCount }'],
    ['partial totals', 'keys(teamId: $t, first: 1) { totalCountIsPartial }'],
    ['overviews', 'keysOverview(teamId: $t) { active }'],
    [
      'months of use',
      'teamUsage(teamId: $t, from: "2026-01-01T00:00:00Z", to: "2026-02-01T00:00:00Z") { hour code count }',
    ],
    [
      'lists of rejected keys',
      'rejectedKeys(teamId: $t, from: "2026-01-01T00:00:00Z", to: "2026-02-01T00:00:00Z") { count apiKey { id } }',
    ],
    ['pages of 100 keys with a month of calls', 'keys(teamId: $t, first: 100) { nodes { id callsByDay(days: 31) } }'],
    ['filtered audit pages', 'auditLog(teamId: $t, actor: "x") { nodes { id } }'],
    ['lists of sources', 'observedSources(keyId: $t) { address secret firstAt lastAt counts { code count } }'],
    ['uses of addresses', 'addressActivity(teamId: $t, address: "192.0.2.1") { accepted apiKey { id } }'],
    ['previews', 'previewAllowedIps(keyId: $t, allowedIps: []) { accepted { address } rejected { address } }'],
    ['explanations', 'explainVerification(input: { teamId: $t, secret: "x" }) { checks { explanation } }'],
  ])('of 15 %s is too high, and of one it is not', async (_, field) => {
    expect(await costs(`query ($t: UUID!) { ${aliased(15, field)} }`)).toBeGreaterThan(1000);
    expect(await rejection(`query ($t: UUID!) { ${field} }`)).toBeNull();
  });

  it('of 15 changes is too high, nothing is done, and ten are possible', async () => {
    const create = 'createKey(input: { teamId: $t, name: "x", env: live }) { apiKey { id } }';
    expect(await costs(`mutation ($t: UUID!) { ${aliased(15, create)} }`)).toBeGreaterThan(1000);
    const dryRun = 'revokeKeys(teamId: $t, filter: {}) { count }';
    expect(await costs(`mutation ($t: UUID!) { ${aliased(15, dryRun)} }`)).toBeGreaterThan(1000);
    const count = async () =>
      (await graphql(running.url, token, `mutation ($t: UUID!) { ${dryRun} }`, { t: team })).body.data.revokeKeys.count;
    expect(await count()).toBe(0);
    expect(await rejection(`mutation ($t: UUID!) { ${aliased(10, create)} }`)).toBeNull();
    expect(await count()).toBe(10);
  });

  it('of an update grows with its allow-list, and of an import with its keys', async () => {
    const update = aliased(5, `updateKey(id: "${randomUUID()}", input: $i) { apiKey { id } }`);
    const allowedIps = Array.from({ length: 90 }, (_, i) => `10.0.0.${i} # ${'€'.repeat(200)}`);
    expect(await costs(`mutation ($i: UpdateKeyInput!) { ${update} }`, { i: { allowedIps } })).toBeGreaterThan(1000);
    expect(await costs(`mutation ($i: UpdateKeyInput!) { ${update} }`, { i: { name: '' } })).toBe(0);
    const keys = Array.from({ length: 200 }, () => ({ digest: '', name: 'x', env: 'live' }));
    const imports = 'importKeys(teamId: $t, keys: $k, dryRun: true) { results { outcome } }';
    const document = (count: number) => `mutation ($t: UUID!, $k: [ImportKeyInput!]!) { ${aliased(count, imports)} }`;
    expect([await costs(document(1), { k: keys }), await costs(document(2), { k: keys })]).toEqual([
      0,
      expect.any(Number),
    ]);
    expect(await costs(document(2), { k: keys })).toBeGreaterThan(1000);
  });
});

const { TypedDocumentString: _, ...documents } = dashboard;

it.each(Object.entries({ ...documents, ...cli }))(
  'the operation %s of the dashboard or the command line is within the limits, at its largest',
  async (_, operation) => {
    const document = operation.toString();
    if (document.trimStart().startsWith('fragment')) return;
    const to = '2026-02-01T00:00:00Z';
    const variables: Readonly<Record<string, unknown>> = {
      teamId: team,
      keyId: randomUUID(),
      id: randomUUID(),
      first: firstOf(document),
      from: '2026-01-01T00:00:00Z',
      to,
      filter: { search: 'x', state: ['ACTIVE', 'REVOKED'], unusedSince: to },
      // The most expensive one.
      orderBy: document.includes('query KeyList') ? { field: 'CALLS', direction: 'ASC' } : undefined,
      dryRun: true,
      keys: document.includes('importKeys')
        ? Array.from({ length: limits.importedKeysWithViolations }, () => ({ digest: '', name: 'x', env: 'live' }))
        : Array.from({ length: limits.changedKeysWithViolations }, () => ({ id: randomUUID() })),
      action: 'ENABLE',
      input: document.includes('ExplainVerification')
        ? { teamId: team, secret: 'x' }
        : document.includes('reateKey')
          ? { teamId: team, name: '', env: 'live' }
          : {},
    };
    const declared = Object.fromEntries(Object.entries(variables).filter(([name]) => document.includes(`$${name}:`)));
    const { body } = await graphql(running.url, token, document, declared);
    expect(JSON.stringify(body.errors ?? [])).not.toMatch(/The operation/);
  },
);

/** The largest page that the dashboard or the command line requests. */
function firstOf(document: string): number {
  if (document.includes('query KeyList')) return 100;
  if (document.includes('query ExportedKeys')) return 50;
  if (/query (?:TeamTrail|MatchingKeys)/.test(document)) return 200;
  if (document.includes('query CliExportAuditLog')) return entriesPageSize;
  return /query Cli(?:List|Export)Keys/.test(document) ? keysPageSize : 500;
}

it('the most expensive documents that are accepted answer less than 1 MB', async () => {
  const [full, long] = [randomUUID(), randomUUID()];
  const all = [...both, 'import_keys'] as const;
  const session = sessionToken({ [full]: all, [long]: all });
  const run: Run = async ({ query, variables }) => {
    const { body } = await graphql(running.url, session, query, variables);
    // Hundreds of host names at once are more than one team may wait for.
    const failed = body.errors?.find(
      ({ extensions }: { extensions: { code: string } }) => extensions.code !== 'UNAVAILABLE',
    );
    if (failed !== undefined) throw new Error(failed.message);
    return body.data;
  };
  const documents = expensiveDocuments(await fillExpensiveTeams(run, full, long, 600));
  expect(documents.length).toBeGreaterThan(10);
  for (const document of documents) {
    expect(Buffer.byteLength(JSON.stringify(await run(document))), document.name).toBeLessThan(1_000_000);
  }
});

it('metadata that is nested more deeply than the stack is rejected like other metadata that is too deep', async () => {
  const depth = 5000;
  const metadata = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  const input = `{"teamId":"${team}","name":"Deep","env":"live","metadata":${metadata}}`;
  const answer = await rest(running.url, token, 'POST', '/v1/keys', input);
  expect([answer.status, answer.body.errors]).toEqual([
    400,
    [{ field: 'metadata', message: 'must be nested at most 8 levels deep' }],
  ]);
  const query = 'mutation ($input: CreateKeyInput!) { createKey(input: $input) { secret } }';
  const { body } = await rest(
    running.url,
    token,
    'POST',
    '/graphql',
    `{"query":${JSON.stringify(query)},"variables":{"input":${input}}}`,
  );
  expect(body.errors[0].extensions.code).toBe('BAD_USER_INPUT');
});
