// SECURITY.md: Bytes from outside
/**
 * Whatever the input, over REST and over GraphQL: the answer is a success or a code of the table, never a 5xx, and a
 * rejected call leaves nothing behind. On both databases, since each accepts other characters.
 */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorTable } from '../src/domain/errors.ts';
import { providers } from './support/databases.ts';
import {
  type Answer,
  both,
  graphql,
  type RunningService,
  rest,
  sessionToken,
  startService,
} from './support/service.ts';

const team = randomUUID();
const token = sessionToken({ [team]: both });
const runs = { numRuns: 150 };

/** Text with everything that ever broke something: NUL, lone surrogates, wildcards, quotes, and our own syntax. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 120 }),
  fc.string({ unit: 'grapheme', maxLength: 120 }),
  fc.constantFrom(
    ...['', ' ', '\u0000', '\ud800', '%', '_', '\\', "' OR 1=1 --", '{}', 'null', '\u202e', '٣', '1e999', '-0'],
  ),
);
const date = fc.oneof(
  fc
    .date({ noInvalidDate: true, min: new Date('1900-01-01'), max: new Date('9999-12-31') })
    .map((value) => value.toISOString()),
  fc.constantFrom(
    '2030-02-30T00:00:00Z',
    '2030-01-01T00:00:00+23:59',
    '9999-12-31T23:59:59-23:59',
    '2030-01-01t00:00:00z',
    '0000-01-01T00:00:00Z',
  ),
  text,
);
const source = fc.oneof(
  fc.ipV4(),
  fc.ipV6(),
  fc.ipV4Extended(),
  fc.domain(),
  text,
  fc.tuple(fc.ipV4(), fc.integer({ min: -1, max: 130 })).map(([ip, bits]) => `${ip}/${bits}`),
);
const junk = fc.oneof(fc.jsonValue({ maxDepth: 3 }), text);
const orJunk = <T>(good: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: good as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: junk });
/** An object that may have each of the fields, or something else. */
const optional = (fields: Readonly<Record<string, fc.Arbitrary<unknown>>>) => fc.record(fields, { requiredKeys: [] });
const env = orJunk(fc.constantFrom('live', 'test'));
const createBody = fc.oneof(
  optional({ teamId: orJunk(fc.constant(team)), name: orJunk(text), env, expiresAt: orJunk(date) }),
  junk,
);
const allowedIps = orJunk(fc.array(orJunk(source), { maxLength: 8 }));
const updateBody = fc.oneof(optional({ name: orJunk(text), allowedIps, expiresAt: orJunk(date) }), junk);

/** A busy machine may not answer in time. fast-check fails if that happens often. */
function skipUnavailable({ status }: Answer): void {
  fc.pre(status !== 503);
}

function expectCode(code: unknown, status: number): void {
  expect(Object.keys(errorTable)).toContain(code);
  expect(status).toBeLessThan(500);
}

function expectProblem(answer: Answer): void {
  skipUnavailable(answer);
  expectCode(answer.body.code, answer.status);
  expect(errorTable[answer.body.code as keyof typeof errorTable].status).toBe(answer.status);
}

const orders = ['CREATED_AT', 'NAME', 'EXPIRES_AT'];
const cursor = fc
  .array(fc.oneof(fc.constantFrom(...orders, 'AUDIT'), text, fc.double(), fc.constant(null), fc.uuid()), {
    maxLength: 4,
  })
  .map((values) => Buffer.from(JSON.stringify(values)).toString('base64url'));
const state = orJunk(fc.array(fc.constantFrom('ACTIVE', 'EXPIRED', 'REVOKED')));
const listVariables = fc.record(
  {
    teamId: fc.constant(team),
    first: orJunk(fc.integer({ min: 1, max: 500 })),
    after: orJunk(fc.oneof(cursor, text)),
    filter: orJunk(optional({ env, state, search: orJunk(text) })),
    orderBy: orJunk(fc.record({ field: fc.constantFrom(...orders), direction: fc.constantFrom('ASC', 'DESC') })),
    keyId: orJunk(fc.uuid()),
  },
  { requiredKeys: ['teamId', 'first'] },
);

describe.each(providers)('on %s', (provider) => {
  let running: RunningService;
  let keyId: string;
  const trail = async () =>
    (await running.service.management.store.auditLog.list({ teamId: team, limit: 1 }))[0]?.revision ?? 0n;
  const stored = () => running.service.management.store.keys.find(keyId);

  beforeAll(async () => {
    running = await startService(provider);
    keyId = (await rest(running.url, token, 'POST', '/v1/keys', { teamId: team, name: 'x', env: 'live' })).body.id;
  });
  afterAll(() => running.stop());

  it('POST /v1/keys', async () => {
    await fc.assert(
      fc.asyncProperty(createBody, async (body) => {
        const before = await trail();
        const answer = await rest(running.url, token, 'POST', '/v1/keys', JSON.stringify(body));
        if (answer.status === 201) {
          expect(await trail()).toBeGreaterThan(before);
        } else {
          expectProblem(answer);
          expect(await trail()).toBe(before);
        }
      }),
      runs,
    );
  });

  it('PATCH /v1/keys/:id', async () => {
    await fc.assert(
      fc.asyncProperty(updateBody, async (body) => {
        const before = await stored();
        const answer = await rest(running.url, token, 'PATCH', `/v1/keys/${keyId}`, JSON.stringify(body));
        if (answer.status === 200) {
          const { id, name, prefix, allowedIps, expiresAt } = answer.body;
          const now = await stored();
          const shown = { ...now, expiresAt: now?.expiresAt?.toISOString() ?? null };
          expect(shown).toMatchObject({ id, name, env: answer.body.env, prefix, allowedIps, expiresAt });
        } else {
          expectProblem(answer);
          expect(await stored()).toEqual(before);
        }
      }),
      runs,
    );
  });

  it('bodies of any bytes, any path and any query', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('GET', 'POST', 'PATCH', 'DELETE', 'PUT'),
        fc.oneof(
          // The dashboard's page is no JSON, and `/.` is where it is too.
          fc.webPath().filter((path) => !/^\/*$/.test(new URL(running.url + path).pathname)),
          fc.webPath().map((path) => `/v1/keys${path}`),
          fc.constant('/v1/keys'),
        ),
        fc.oneof(
          fc.webQueryParameters(),
          optional({
            teamId: orJunk(fc.constant(team)),
            limit: junk,
            cursor: text,
            externalId: text,
            tag: fc.array(text),
            state,
          }).map((fields) => {
            const texts = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
            const pairs = Object.entries(fields).flatMap(([name, value]) =>
              [value].flat().map((item): [string, string] => [name, texts(item)]),
            );
            return new URLSearchParams(pairs).toString();
          }),
        ),
        fc.uint8Array({ maxLength: 200 }),
        async (method, path, query, bytes) => {
          const body = method === 'GET' ? undefined : new Uint8Array(bytes);
          const answer = await rest(running.url, token, method, `${path}?${query}`, body, {
            'content-type': 'application/json',
          });
          if (answer.status >= 400) expectProblem(answer);
        },
      ),
      runs,
    );
  });

  it('GraphQL variables', async () => {
    const query = `mutation ($create: CreateKeyInput!, $id: UUID!, $update: UpdateKeyInput!) {
      createKey(input: $create) { apiKey { id } }
      updateKey(id: $id, input: $update) { apiKey { id } }
    }`;
    await fc.assert(
      fc.asyncProperty(createBody, orJunk(fc.constant(0).map(() => keyId)), updateBody, async (create, id, update) => {
        const answer = await graphql(running.url, token, query, { create, id, update });
        skipUnavailable(answer);
        for (const { extensions } of answer.body.errors ?? []) expectCode(extensions.code, answer.status);
      }),
      runs,
    );
  });

  it('GraphQL lists', async () => {
    const query = `query ($teamId: UUID!, $first: Int!, $after: String, $filter: KeyFilter, $orderBy: KeyOrder, $keyId: UUID) {
      keys(teamId: $teamId, first: $first, after: $after, filter: $filter, orderBy: $orderBy) { nodes { id lastUsedAt } pageInfo { endCursor } }
      auditLog(teamId: $teamId, keyId: $keyId, first: $first, after: $after) { nodes { id } }
    }`;
    await fc.assert(
      fc.asyncProperty(listVariables, async (values) => {
        const answer = await graphql(running.url, token, query, values);
        skipUnavailable(answer);
        for (const { extensions } of answer.body.errors ?? []) expectCode(extensions.code, answer.status);
      }),
      { numRuns: 300 },
    );
  });
});
