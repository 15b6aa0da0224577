// SECURITY.md: Bytes from outside
/** The GraphQL-over-HTTP specification, checked by the audit of others, and where that looks no further, by ours. */
import { randomUUID } from 'node:crypto';
import { serverAudits } from 'graphql-http';
import { describe, expect, it } from 'vitest';
import { inTests } from '../support/in-tests.ts';
import { type Answer, both, sessionToken, startService } from '../support/service.ts';

const running = inTests(() => startService('sqlite', { MANAGEMENT_RATE_LIMIT: '500' }));
const team = randomUUID();
const token = sessionToken({ [team]: both });

const authorized: typeof fetch = async (input, init) => {
  const headers = new Headers(init?.headers);
  headers.set('authorization', `Bearer ${token}`);
  return await fetch(input, { ...init, headers });
};

describe('the audit of graphql-http finds that the service', () => {
  const audits = serverAudits({ url: () => `${running.url}/graphql`, fetchFn: authorized });

  it('is audited', () => expect(audits.length).toBeGreaterThan(60));

  it.each(audits.map(({ id, name, fn }) => [id, name, fn] as const))('%s %s', async (_id, _name, audit) => {
    const result = await audit();
    expect(result.status, 'reason' in result ? result.reason : '').toBe('ok');
  });
});

const json = 'application/json; charset=utf-8';
const graphqlResponse = 'application/graphql-response+json; charset=utf-8';

async function ask(accept: string | null, body: unknown, headers: Record<string, string> = {}) {
  const response = await authorized(`${running.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(accept === null ? {} : { accept }), ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const answer: Answer['body'] = await response.json();
  return { status: response.status, type: response.headers.get('content-type'), body: answer };
}

const whoAmI = { query: '{ viewer { subject } }' };

it.each([
  [null, json],
  ['*/*', json],
  ['application/*', json],
  ['text/html, */*;q=0.1', json],
  ['application/json', json],
  ['APPLICATION/JSON;charset=UTF-8', json],
  ['application/graphql-response+json', graphqlResponse],
  ['application/graphql-response+json;charset=utf-8', graphqlResponse],
  ['application/graphql-response+json, application/json;q=0.9', graphqlResponse],
  ['application/json;q=0.5, application/graphql-response+json;q=0.6', graphqlResponse],
  ['application/json;q=0, */*', graphqlResponse],
])('a client that accepts %s gets responses in %s, also errors', async (accept, type) => {
  expect(await ask(accept, whoAmI)).toMatchObject({
    status: 200,
    type,
    body: { data: { viewer: { subject: 'tester' } } },
  });
  const rejections = [
    ask(accept, '{'),
    ask(accept, whoAmI, { 'content-type': 'text/plain' }),
    ask(accept, whoAmI, { 'content-type': 'application/json; charset=iso-8859-1' }),
    ask(accept, whoAmI, { 'content-type': 'application/merge-patch+json' }),
    ask(accept, whoAmI, { 'content-type': 'application/json', 'content-encoding': 'compress' }),
    ask(accept, { query: `{ viewer { subject } } ${' '.repeat(70_000)}` }),
  ];
  const answers = await Promise.all(rejections);
  expect(answers.map(({ status }) => status)).toEqual([400, 415, 415, 415, 415, 413]);
  expect(answers.map((answer) => answer.type)).toEqual(Array(6).fill(type));
  const anonymous = await fetch(`${running.url}/graphql`, {
    method: 'POST',
    headers: accept === null ? {} : { accept },
  });
  expect([anonymous.status, anonymous.headers.get('content-type')]).toEqual([401, type]);
  expect(await anonymous.json()).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
});

it('a client with an unsupported content coding hears which ones are supported, and no other client does', async () => {
  const post = (headers: Record<string, string>) =>
    fetch(`${running.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sessionToken({})}`, ...headers },
      body: JSON.stringify(whoAmI),
    });
  for (const coding of ['compress', 'gzip, gzip']) {
    const { status, headers } = await post({ 'content-type': 'application/json', 'content-encoding': coding });
    expect([status, headers.get('accept-encoding')]).toEqual([415, 'gzip, deflate, br']);
  }
  const { status, headers } = await post({ 'content-type': 'text/plain' });
  expect([status, headers.get('accept-encoding')]).toEqual([415, null]);
});

it.each(['text/html', 'application/xml, text/*;q=0.5', 'application/json;q=0'])(
  'a client that accepts only %s gets 406, and no change is made',
  async (accept) => {
    const create = `mutation { createKey(input: {teamId: "${team}", name: "x", env: live}) { secret } }`;
    const { status, type, body } = await ask(accept, { query: create });
    expect([status, type, body.errors[0].extensions.code]).toEqual([406, json, 'NOT_ACCEPTABLE']);
    const left = await ask(null, { query: `{ keys(teamId: "${team}") { totalCount } }` });
    expect(left.body.data.keys.totalCount).toBe(0);
  },
);

it.each([
  ['a document that is no GraphQL', { query: '{' }],
  ['a field that is not there', { query: '{ nope }' }],
  ['a variable of the wrong type', { query: 'query ($id: UUID!) { key(id: $id) { id } }', variables: { id: 5 } }],
  ['an operation that is not in the document', { ...whoAmI, operationName: 'Nope' }],
])('%s is a well-formed request: 200 as JSON, 400 as a GraphQL response, without data', async (_, body) => {
  const [asJson, asGraphQL] = [
    await ask('application/json', body),
    await ask('application/graphql-response+json', body),
  ];
  expect([asJson.status, asGraphQL.status]).toEqual([200, 400]);
  for (const answer of [asJson, asGraphQL]) {
    expect(answer.body).not.toHaveProperty('data');
    expect(answer.body.errors[0].extensions.code).toBe('BAD_USER_INPUT');
  }
});

it.each(['application/json', 'application/graphql-response+json'])(
  'a rejection of a field comes with its data, and is 200 in %s',
  async (accept) => {
    const answer = await ask(accept, { query: `{ key(id: "${randomUUID()}") { id } }` });
    expect([answer.status, answer.body.data]).toEqual([200, null]);
    expect(answer.body.errors[0].extensions.code).toBe('KEY_NOT_FOUND');
  },
);

it('a list of preferences above 1,000 characters is not read', async () => {
  const preferring = (characters: number) => ask('text/html,'.padEnd(characters, 'a/b,'), whoAmI);
  expect(await preferring(1000)).toMatchObject({ status: 406 });
  expect(await preferring(1001)).toMatchObject({ status: 200, type: json });
});

it('GET reads and never changes; other methods get 405 with Allow', async () => {
  const get = (query: string) => authorized(`${running.url}/graphql?${new URLSearchParams({ query })}`);
  expect(await (await get('{ viewer { subject } }')).json()).toEqual({ data: { viewer: { subject: 'tester' } } });
  const change = await get(`mutation { revokeKey(id: "${randomUUID()}") { apiKey { id } } }`);
  expect([change.status, change.headers.get('allow')]).toEqual([405, 'POST']);
  const put = await authorized(`${running.url}/graphql`, { method: 'PUT' });
  expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, POST']);
});
