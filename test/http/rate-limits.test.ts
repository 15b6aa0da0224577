// SECURITY.md: Bytes from outside; Hostile tenant; Slow reader
/** How often one caller may call, and one address come with tokens that are no good. */
import { randomUUID } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { checkedFetch } from '../support/checked-fetch.ts';
import { both, graphql, type RunningService, rest, sessionToken, startService } from '../support/service.ts';

const team = randomUUID();
const listing = `/v1/keys?teamId=${team}`;
const token = (subject: string) => sessionToken({ [team]: both }, subject);

let running: RunningService;
afterEach(() => running.stop());

async function start(environment: NodeJS.ProcessEnv): Promise<string> {
  running = await startService('sqlite', environment);
  return running.url;
}

const list = (url: string, bearer: string | null, headers: Record<string, string> = {}) =>
  rest(url, bearer, 'GET', listing, undefined, headers);

it('a caller who calls too often gets 429 with Retry-After, over REST and GraphQL; other callers are not limited', async () => {
  const url = await start({ MANAGEMENT_RATE_LIMIT: '3' });
  for (let i = 0; i < 3; i += 1) expect((await list(url, token('busy'))).status).toBe(200);

  const rejected = await list(url, token('busy'));
  expect(rejected.status).toBe(429);
  expect(rejected.headers.get('content-type')).toContain('application/problem+json');
  expect(rejected.body).toMatchObject({ status: 429, code: 'RATE_LIMITED', requestId: expect.any(String) });
  const seconds = Number(rejected.headers.get('retry-after'));
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(seconds).toBeLessThanOrEqual(60);

  const rejectedToo = await graphql(url, token('busy'), '{ __typename }');
  expect(rejectedToo.status).toBe(429);
  expect(rejectedToo.headers.get('content-type')).toContain('application/graphql-response+json');
  expect(rejectedToo.headers.get('retry-after')).toMatch(/^\d+$/);
  expect(rejectedToo.body.errors[0].extensions).toMatchObject({ code: 'RATE_LIMITED' });

  expect((await list(url, token('patient'))).status).toBe(200);
  expect((await checkedFetch(`${url}/healthz`)).status).toBe(200);
  expect((await checkedFetch(`${url}/readyz`)).status).toBe(200);
});

it('a document counts as its number of operations, and costly ones count more', async () => {
  const url = await start({ MANAGEMENT_RATE_LIMIT: '20' });
  const ask = async (subject: string, query: string) => (await graphql(url, token(subject), query)).status;
  const fields = (count: number) => `{ ${Array.from({ length: count }, (_, i) => `a${i}: __typename`).join(' ')} }`;
  const whole = `{ keys(teamId: "${team}", first: 500) { nodes { id name allowedIps lastUsedAt } } }`;

  expect([await ask('many', fields(15)), await ask('many', fields(5)), await ask('many', fields(1))]).toEqual([
    200, 200, 429,
  ]);
  // 600 to 800 points, of which 200 count as one operation.
  let served = 0;
  while ((await ask('costly', whole)) === 200) served += 1;
  expect(served).toBe(20 / 4);
  // A call that is not valid is one operation.
  for (let i = 0; i < 20; i += 1) expect(await ask('wrong', '{ nope }')).toBe(400);
  expect(await ask('wrong', '{ nope }')).toBe(429);
});

it('a document above the remaining limit does nothing, and does not use up the limit', async () => {
  const url = await start({ MANAGEMENT_RATE_LIMIT: '10' });
  const create = (count: number) =>
    `mutation { ${Array.from({ length: count }, (_, i) => `a${i}: createKey(input: { teamId: "${team}", name: "x", env: live }) { apiKey { id } }`).join(' ')} }`;
  expect((await graphql(url, token('busy'), create(6))).status).toBe(200);
  const rejected = await graphql(url, token('busy'), create(6));
  expect(rejected.status).toBe(429);
  expect(rejected.headers.get('retry-after')).toMatch(/^\d+$/);
  expect(rejected.body.errors[0].extensions.code).toBe('RATE_LIMITED');
  expect((await list(url, token('busy'))).body).toHaveLength(6);
});

it('an address with too many invalid tokens gets 429 for them, and a valid token from there is served', async () => {
  const url = await start({ FAILED_TOKEN_LIMIT: '3' });
  const invalid = [`${token('a')}x`, 'x', token('a').slice(1)];
  for (const bad of invalid) expect((await list(url, bad)).status).toBe(401);

  for (const bad of invalid) {
    const rejected = await list(url, bad);
    expect(rejected.status).toBe(429);
    expect(rejected.body.code).toBe('RATE_LIMITED');
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  }
  expect((await list(url, token('a good one'))).status).toBe(200);
  const { id } = (await rest(url, token('a good one'), 'POST', '/v1/keys', { teamId: team, name: 'x', env: 'live' }))
    .body;
  expect((await rest(url, token('a good one'), 'DELETE', `/v1/keys/${id}`)).status).toBe(200);
});

it('calls without a token and successful calls do not count as failures', async () => {
  const url = await start({ FAILED_TOKEN_LIMIT: '2' });
  for (let i = 0; i < 5; i += 1) expect((await list(url, null)).status).toBe(401);
  for (let i = 0; i < 5; i += 1) expect((await list(url, token('good'))).status).toBe(200);
});

it('invalid tokens are counted by address, and by /64 where addresses are IPv6', async () => {
  const url = await start({ FAILED_TOKEN_LIMIT: '1', TRUST_PROXY: '1' });
  const from = async (address: string, bearer: string) =>
    (await list(url, bearer, { 'x-forwarded-for': address })).status;
  expect(await from('192.0.2.1', 'bad')).toBe(401);
  expect(await from('192.0.2.1', 'bad')).toBe(429);
  expect(await from('192.0.2.1', token('good'))).toBe(200);
  expect(await from('192.0.2.2', 'bad')).toBe(401);
  expect(await from('2001:db8:0:1::1', 'bad')).toBe(401);
  expect(await from('2001:db8:0:1:ffff::2', 'bad')).toBe(429);
  expect(await from('2001:db8:0:2::1', 'bad')).toBe(401);
});
