// SECURITY.md: Malformed or ambiguous input
/** What the GraphQL transport rejects before any resolver runs, and what it hides. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { errorTable } from '../../src/domain/errors.ts';
import { inTests } from '../support/in-tests.ts';
import { both, graphql, rest, sessionToken, startService } from '../support/service.ts';

const running = inTests(() => startService('sqlite'));
const team = randomUUID();
const token = sessionToken({ [team]: both });
const call = (query: string, variables?: Readonly<Record<string, unknown>>) =>
  graphql(running.url, token, query, variables);

describe('a document is rejected as bad input when', () => {
  it.each([
    ['it is no GraphQL', '{', /^Syntax Error/],
    ['it asks for unknown fields', '{ nope }', /^Cannot query field "nope" on type "Query"\.$/],
    ['it has more than 1000 tokens', `{ ${'__typename '.repeat(1001)} }`, /Document contains more tha[nt] 1000 tokens/],
    ['it subscribes', 'subscription { nope }', /^The schema has no subscription\.$/],
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
  } finally {
    management.store.keys.find = original;
    log.error = error;
  }
});
