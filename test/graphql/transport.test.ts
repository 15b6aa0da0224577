/** What the GraphQL transport rejects before any resolver runs, and what it hides. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorTable } from '../../src/domain/errors.ts';
import { both, graphql, type RunningService, rest, sessionToken, startService } from '../support/service.ts';

let running: RunningService;
const team = randomUUID();
const token = sessionToken({ [team]: both });
const call = (query: string, variables?: Readonly<Record<string, unknown>>) =>
  graphql(running.url, token, query, variables);

beforeAll(async () => {
  running = await startService('sqlite');
});
afterAll(() => running.stop());

describe('a document is rejected as bad input when', () => {
  const read = `key(id: "${randomUUID()}") { id }`;
  it.each([
    ['it is no GraphQL', '{', /^Syntax Error/],
    ['it asks for unknown fields', '{ nope }', /^Cannot query field "nope" on type "Query"\.$/],
    [
      'it has more than 15 aliases',
      `{ ${Array.from({ length: 16 }, (_, i) => `a${i}: ${read}`).join(' ')} }`,
      /^The operation has 16 aliases, .* at most 15 are allowed\./,
    ],
    [
      'it is deeper than 8',
      `{ __typename ${'... on Query { '.repeat(9)} __typename ${'}'.repeat(9)} }`,
      /^The operation is 10 levels deep; at most 8 are allowed\.$/,
    ],
    ['it has more than 1000 tokens', `{ ${'__typename '.repeat(1001)} }`, /Document contains more tha[nt] 1000 tokens/],
    ['it has more than 10 directives', `{ __typename ${'@include(if: true) '.repeat(11)} }`, /.+/],
    ['a literal has the wrong type', 'mutation { revokeKey(id: 5) { apiKey { id } } }', /.+/],
    [
      'an enum is unknown',
      `mutation { createKey(input: {teamId: "${team}", name: "x", env: prod}) { secret } }`,
      /^The value here must be one of live, test\.$/,
    ],
    ['there is no operation', 'fragment F on Query { __typename }', /.+/],
  ])('%s', async (_, query, message) => {
    const answer = await call(query);
    expect(answer.status).toBe(400);
    expect(answer.body.data).toBeUndefined();
    expect(answer.body.errors[0]).toMatchObject({
      message: expect.stringMatching(message),
      extensions: { code: 'BAD_USER_INPUT', requestId: answer.headers.get('x-request-id') },
    });
  });

  it('schema details are not suggested', async () => {
    expect((await call('{ keyz { id } }')).body.errors[0].message).not.toContain('Did you mean');
  });
});

it('variables are rejected field by field, without their values, and with what was expected', async () => {
  const query = 'mutation ($anything: CreateKeyInput!) { createKey(input: $anything) { secret } }';
  const answer = await call(query, { anything: { teamId: 'lk_live_hush', name: 7, env: 'LIVE', hushHush: 1 } });
  expect(answer.status).toBe(400);
  expect(answer.body.errors[0].extensions).toMatchObject({
    code: 'BAD_USER_INPUT',
    errors: [
      { field: 'hushHush', message: 'is not a known field' },
      { field: 'teamId', message: 'must be a UUID, such as 123e4567-e89b-42d3-a456-426614174000' },
      { field: 'name', message: 'must be a string' },
      { field: 'env', message: 'must be one of live, test' },
    ],
  });
  expect(JSON.stringify(answer.body)).not.toContain('lk_live_hush');
  for (const [variables, message] of [
    [{}, 'is required'],
    [{ anything: null }, 'must not be null'],
    [{ anything: [] }, 'must be an object'],
  ] as const) {
    expect((await call(query, variables)).body.errors[0].extensions.errors).toEqual([{ field: 'anything', message }]);
  }
});

it('several operations in one request are rejected', async () => {
  const answer = await rest(running.url, token, 'POST', '/graphql', [{ query: '{ __typename }' }]);
  expect([answer.status, answer.body.errors[0].extensions.code]).toEqual([400, 'BAD_USER_INPUT']);
});

it('the schema can be read by tools, within the limits', async () => {
  const { getIntrospectionQuery } = await import('graphql');
  const answer = await call(getIntrospectionQuery());
  expect(answer.body.errors).toBeUndefined();
  expect(answer.body.data.__schema.types.length).toBeGreaterThan(20);
});

it("the dashboard's two queries are within the limits", async () => {
  const key = 'id teamId name env prefix state allowedIps expiresAt signingEnabled lastUsedAt createdAt revokedAt';
  const page = 'pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';
  const keys = await call(
    `query ($t: UUID!, $filter: KeyFilter, $explain: ExplainVerificationInput!) {
      viewer { subject source teams { id permissions } }
      keysOverview(teamId: $t) { active expired expiringSoon neverUsed unusedFor90Days }
      keys(teamId: $t, filter: $filter) { nodes { ${key} } ${page} totalCount }
      explainVerification(input: $explain) { code apiKey { ${key} } checks { name outcome explanation } }
    }`,
    {
      t: team,
      filter: { state: ['ACTIVE'], signingEnabled: true, expiresBefore: '2030-01-01T00:00:00Z', neverUsed: true },
      explain: { teamId: team, secret: 'x', sourceIp: '::1', env: 'live' },
    },
  );
  expect(keys.body.errors).toBeUndefined();
  expect(keys.body.data).toMatchObject({
    viewer: { teams: [{ id: team, permissions: both }] },
    keysOverview: { active: 0 },
    keys: { totalCount: 0 },
    explainVerification: { code: 'MALFORMED' },
  });
  const history = await call(
    `query ($t: UUID!, $from: DateTime!, $to: DateTime!) {
      teamUsage(teamId: $t, from: $from, to: $to) { hour code count }
      auditLog(teamId: $t, first: 20) { nodes { id action actor at changes { field } } ${page} }
    }`,
    { t: team, from: '2026-01-01T00:00:00Z', to: '2026-01-15T00:00:00Z' },
  );
  expect(history.body.errors).toBeUndefined();
  expect(history.body.data.teamUsage).toEqual([]);
});

it('the schema names every code that GraphQL can answer with', async () => {
  const { typeDefs } = await import('../../src/graphql/type-defs.ts');
  const notHere = ['NOT_FOUND', 'METHOD_NOT_ALLOWED'];
  for (const code of Object.keys(errorTable).filter((name) => !notHere.includes(name)))
    expect(typeDefs).toContain(code);
});

it('an unknown failure is masked, and logged in full under the request id that the caller gets', async () => {
  const { management, log } = running.service;
  const logged: unknown[] = [];
  const original = management.store.keys.find;
  const error = log.error.bind(log);
  management.store.keys.find = async () => {
    throw new Error('the innards');
  };
  log.error = ((...entry: unknown[]) => logged.push(entry)) as typeof log.error;
  try {
    const answer = await call(`{ key(id: "${randomUUID()}") { id } }`);
    const { requestId } = answer.body.errors[0].extensions;
    expect(answer.body.errors).toEqual([
      {
        message: 'Something went wrong on our side.',
        locations: [{ line: 1, column: 3 }],
        path: ['key'],
        extensions: { code: 'INTERNAL_SERVER_ERROR', requestId },
      },
    ]);
    expect(logged).toContainEqual([
      { requestId, err: expect.objectContaining({ message: 'the innards' }) },
      'operation failed',
    ]);
    const overRest = await rest(running.url, token, 'DELETE', `/v1/keys/${randomUUID()}`);
    expect(overRest.body).toMatchObject({
      status: 500,
      code: 'INTERNAL_SERVER_ERROR',
      detail: 'Something went wrong on our side.',
    });
  } finally {
    management.store.keys.find = original;
    log.error = error;
  }
});
