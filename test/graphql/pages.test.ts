// SECURITY.md: Bytes from outside; Hostile tenant
/** A page ends early where its texts are long, and every caller still gets all there is. */
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { acceptFields } from '../../src/domain/parse-fields.ts';
import { startGraphQL } from '../../src/graphql/server.ts';
import { OperationCounters } from '../../src/metrics/operation-counters.ts';
import { executor } from '../../src/rest/execute.ts';
import { listKeys } from '../../src/rest/list-keys.ts';
import * as operations from '../../src/rest/operations.ts';
import type { RestRequest } from '../../src/rest/route.ts';
import { theProvider } from '../support/databases.ts';
import { inTests } from '../support/in-tests.ts';
import { both, callerOf, graphql, rest, sessionToken, startService } from '../support/service.ts';

const team = randomUUID();
const token = sessionToken({ [team]: both });
const megabyte = 1_000_000;

interface Connection {
  readonly edges: readonly { readonly cursor: string; readonly node: Readonly<Record<string, unknown>> }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

const running = inTests(() => startService(theProvider));
/** Newest first; every other one has an allow-list of some 48 kB. */
const made: string[] = [];
const lists = (i: number) => Array.from({ length: 80 }, (_, n) => `10.0.${i}.${n} # ${'€'.repeat(195)}`);

beforeAll(async () => {
  for (let i = 0; i < 24; i += 1) {
    const { body } = await rest(running.url, token, 'POST', '/v1/keys', {
      teamId: team,
      name: `Key ${i}`,
      env: 'live',
    });
    made.unshift(body.id);
    if (i % 2 === 0) await rest(running.url, token, 'PATCH', `/v1/keys/${body.id}`, { allowedIps: lists(i) });
  }
});

async function everyPage(field: string, fields: string, first: number) {
  const nodes: Readonly<Record<string, unknown>>[] = [];
  const pages: { readonly entries: number; readonly bytes: number }[] = [];
  let after: string | null = null;
  for (;;) {
    const { body } = await graphql(
      running.url,
      token,
      `query ($t: UUID!, $first: Int!, $after: String) {
          ${field}(teamId: $t, first: $first, after: $after) { edges { cursor node { ${fields} } } pageInfo { hasNextPage endCursor } }
        }`,
      { t: team, first, after },
    );
    expect(body.errors).toBeUndefined();
    const { edges, pageInfo }: Connection = body.data[field];
    expect(pageInfo.endCursor).toBe(edges.at(-1)?.cursor ?? null);
    nodes.push(...edges.map(({ node }) => node));
    pages.push({ entries: edges.length, bytes: Buffer.byteLength(JSON.stringify(body)) });
    if (!pageInfo.hasNextPage) return { nodes, pages };
    after = pageInfo.endCursor;
  }
}

it.each([1, 5, 500])('pages of %i keys with long allow-lists are short, and hold every key once', async (first) => {
  const { nodes, pages } = await everyPage('keys', 'id allowedIps', first);
  expect(nodes.map(({ id }) => id)).toEqual(made);
  expect(nodes.at(-1)?.allowedIps).toEqual(lists(0));
  for (const { entries, bytes } of pages) {
    expect(entries).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(megabyte / 4);
  }
  expect(pages.length).toBeGreaterThan(24 / Math.min(first, 6) - 1);
});

it('pages of long audit entries are short, and hold every entry once', async () => {
  const { nodes, pages } = await everyPage('auditLog', 'id keyId action changes { field before after }', 500);
  expect(nodes).toHaveLength(36);
  expect(nodes.filter(({ action }) => action === 'KEY_CREATED').map(({ keyId }) => keyId)).toEqual(made);
  expect(pages.length).toBeGreaterThan(3);
  for (const { bytes } of pages) expect(bytes).toBeLessThan(megabyte / 4);
});

it('a page of keys within the limits has the requested size', async () => {
  const other = randomUUID();
  const theirs = sessionToken({ [other]: both });
  for (let i = 0; i < 7; i += 1) {
    await rest(running.url, theirs, 'POST', '/v1/keys', { teamId: other, name: 'x', env: 'live' });
  }
  const query = 'query ($t: UUID!) { keys(teamId: $t, first: 5) { nodes { id } pageInfo { hasNextPage } } }';
  const { keys } = (await graphql(running.url, theirs, query, { t: other })).body.data;
  expect([keys.nodes.length, keys.pageInfo.hasNextPage]).toEqual([5, true]);
});

it('REST returns the whole list, and pages of exactly the limit, with allow-lists of any length', async () => {
  const list = (query: string) => rest(running.url, token, 'GET', `/v1/keys?teamId=${team}${query}`);
  const ids = (body: readonly { readonly id: string }[]) => body.map(({ id }) => id);
  expect(ids((await list('')).body)).toEqual(made);
  const first = await list('&limit=20');
  expect(ids(first.body)).toEqual(made.slice(0, 20));
  const [, next = ''] = /<\/v1\/keys([^>]*)>; rel="next"/.exec(first.headers.get('link') ?? '') ?? [];
  const second = await rest(running.url, token, 'GET', `/v1/keys${next}`);
  expect(ids(second.body)).toEqual(made.slice(20));
  expect(second.headers.get('link')).toBeNull();
  expect((await list('&limit=24')).headers.get('link')).toBeNull();
});

it('the whole list over REST yields to other calls between its pages', async () => {
  const { management, log } = running.service;
  const { server, runner } = await startGraphQL(log, new OperationCounters());
  const source = { call: { startOperation: async () => () => undefined }, inputErrors: [] };
  const execute = executor(runner, management)(operations.listKeys, callerOf({ [team]: both }), source);
  const check: RestRequest<unknown, unknown>['check'] = (fields) => acceptFields(fields, []);
  const request = {
    id: undefined,
    path: {},
    query: { teamId: team },
    lists: {},
    body: {},
    headers: {},
    waitForEvents: async () => false,
  };
  const { body } = await listKeys({ execute, check, ...request });
  if (!(Symbol.asyncIterator in body)) throw new Error('the list is not sent in pieces');
  let turns = 0;
  const count = () => {
    turns += 1;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  const pieces: string[] = [];
  for await (const piece of body) pieces.push(piece);
  clearImmediate(counting);
  await server.stop();
  expect(JSON.parse(pieces.join(''))).toHaveLength(24);
  // Between the brackets, each piece is a page.
  expect(pieces.length - 2).toBeGreaterThan(3);
  expect(turns).toBeGreaterThanOrEqual(pieces.length - 3);
});
