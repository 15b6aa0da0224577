// SECURITY.md: Who may do what; Bytes from outside
/** `/metrics`: every value is correct, and nothing in it was written by a caller. */
import { readFileSync } from 'node:fs';
import { buildSchema } from 'graphql';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createLocalVerifier } from '../../src/client/local-verifier.ts';
import { errorTable } from '../../src/domain/errors.ts';
import { verdictCodes } from '../../src/domain/verdict/verdict-code.ts';
import { DurationHistogram } from '../../src/metrics/duration-histogram.ts';
import { metricsOf } from '../../src/metrics/exposition.ts';
import { storeCallers } from '../../src/metrics/readings.ts';
import { createMetricsServer } from '../../src/metrics/server.ts';
import { routes } from '../../src/rest/routes.ts';
import { temporaryDatabase } from '../support/databases.ts';
import { listen, type RunningGateway, send, startGateway, stopListening } from '../support/gateway.ts';
import { startBuilt } from '../support/instance.ts';
import { Scrape } from '../support/scrape.ts';
import { both, graphql, rest, sessionToken } from '../support/service.ts';

const schema = buildSchema(readFileSync('schema.graphql', 'utf8'));
const rootFields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
  Object.keys(type?.getFields() ?? {}),
);

describe('a histogram of durations', () => {
  it('counts each in the first bucket whose bound it does not exceed, and what exceeds all in the last', () => {
    const histogram = new DurationHistogram([1, 10]);
    for (const milliseconds of [0, 1, 1.5, 10, 11]) histogram.add(milliseconds);
    histogram.add(2, 3);
    expect(histogram.counts).toEqual([2, 5, 1]);
    expect(histogram.sumMs).toBe(29.5);
  });
});

let gateway: RunningGateway;
let token: string;
const read = async () => new Scrape(await metricsOf(gateway.running.service.readings).text());
const verify = (body: unknown) => rest(gateway.url, null, 'POST', '/v1/verify', body);
/** How much each value grew during an action. */
async function growth(act: () => Promise<unknown>) {
  const before = await read();
  await act();
  const after = await read();
  return (name: string, labels: Record<string, string> = {}) =>
    (after.value(name, labels) ?? 0) - (before.value(name, labels) ?? 0);
}

describe('of a service', () => {
  beforeAll(async () => {
    gateway = await startGateway('sqlite');
    token = sessionToken({ [gateway.teamId]: both });
  });
  afterAll(() => gateway.stop());

  it('an introspection is counted under its verdict, which its answer says only in a header', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const { secret } = await gateway.issue({ env: 'test' });
    const grew = await growth(async () => {
      for (const env of ['test', 'live'])
        await send(gateway.url, {
          method: 'POST',
          path: '/v1/introspect',
          headers,
          body: `env=${env}&token=${secret}`,
        });
    });
    for (const code of ['VALID', 'WRONG_ENVIRONMENT']) expect(grew('latchkey_verdicts_total', { code })).toBe(1);
    const labels = { port: 'verification', route: '/v1/introspect', status: '2xx' };
    expect(grew('latchkey_http_request_duration_seconds_count', labels)).toBe(2);
  });

  it('every verdict is counted under its code, starting at 0, and every response under its route and status', async () => {
    expect((await read()).labelValues('code')).toEqual(new Set(verdictCodes));
    const { id, secret } = await gateway.issue();
    const grew = await growth(async () => {
      await verify({ key: secret });
      await verify({ key: secret, env: 'test' });
      await verify({ key: 'junk' });
      await verify({ key: `${secret.slice(0, -1)}!` });
      await send(gateway.url, { path: '/v1/authorize', headers: { authorization: `Bearer ${secret}` } });
      // Without a key there is no verdict.
      await send(gateway.url, { path: '/v1/authorize' });
      await send(gateway.url, { path: '/nowhere' });
      await verify({});
      await gateway.revoke(id);
      await verify({ key: secret });
    });
    const verdicts = (code: string) => grew('latchkey_verdicts_total', { code });
    expect([verdicts('VALID'), verdicts('WRONG_ENVIRONMENT'), verdicts('MALFORMED'), verdicts('REVOKED')]).toEqual([
      2, 1, 2, 1,
    ]);
    const answers = (route: string, status: string) =>
      grew('latchkey_http_request_duration_seconds_count', { port: 'verification', route, status });
    expect([answers('/v1/verify', '2xx'), answers('/v1/verify', '4xx')]).toEqual([5, 1]);
    expect([answers('/v1/authorize', '2xx'), answers('/v1/authorize', '4xx')]).toEqual([1, 1]);
    expect(answers('other', '4xx')).toBe(1);
    expect(grew('latchkey_cache_lookups_total', { result: 'miss' })).toBe(1);
    expect(grew('latchkey_cache_lookups_total', { result: 'hit' })).toBe(3);
    // Including keys in another format: one may just have been imported.
    expect(grew('latchkey_confirmations_total', { outcome: 'answered' })).toBe(6);
    expect(grew('latchkey_confirmation_age_seconds_count')).toBe(6);
    expect(grew('latchkey_cache_keys')).toBe(1);
    expect(
      Math.abs(((await read()).value('latchkey_last_confirmation_timestamp_seconds') ?? 0) - Date.now() / 1000),
    ).toBeLessThan(60);
  });

  it('an operation is counted once, under its name in the schema, over REST and GraphQL', async () => {
    const { url } = gateway.running;
    const teamId = gateway.teamId;
    const grew = await growth(async () => {
      await rest(url, token, 'POST', '/v1/keys', { teamId, name: 'One', env: 'live' });
      await rest(url, token, 'DELETE', `/v1/keys/${crypto.randomUUID()}`);
      await graphql(
        url,
        token,
        'query Mine($t: UUID!) { mine: keys(teamId: $t) { totalCount } ...More } fragment More on Query { __typename viewer { subject } }',
        { t: teamId },
      );
      await graphql(url, token, '{ nonsense }');
      await graphql(url, token, 'subscription { nonsense }');
    });
    const operations = (operation: string, outcome: string) =>
      grew('latchkey_operations_total', { operation, outcome });
    expect(operations('createKey', 'OK')).toBe(1);
    expect(operations('revokeKey', 'KEY_NOT_FOUND')).toBe(1);
    expect(operations('invalid', 'BAD_USER_INPUT')).toBe(2);
    expect([operations('keys', 'OK'), operations('viewer', 'OK'), operations('introspection', 'OK')]).toEqual([
      1, 1, 1,
    ]);
    const answers = (route: string, status: string) =>
      grew('latchkey_http_request_duration_seconds_count', { port: 'management', route, status });
    expect(answers('POST /v1/keys', '2xx')).toBe(1);
    expect(answers('DELETE /v1/keys/:id', '4xx')).toBe(1);
    expect([answers('/graphql', '2xx'), answers('/graphql', '4xx')]).toEqual([1, 2]);
  });

  it('buckets are cumulative, the last one contains all, and the sum is in seconds', async () => {
    await verify({ key: 'junk' });
    const labels = { port: 'verification', route: '/v1/verify', status: '2xx' };
    const name = 'latchkey_http_request_duration_seconds';
    const scraped = await read();
    const buckets = scraped.samples.filter(
      (sample) =>
        sample.name === `${name}_bucket` && sample.labels.route === labels.route && sample.labels.status === '2xx',
    );
    const bounds = buckets.map((bucket) => Number(bucket.labels.le?.replace('+Inf', 'Infinity')));
    expect(bounds).toEqual([...bounds].sort((a, b) => a - b));
    const counts = buckets.map(({ value }) => value);
    expect(counts).toEqual([...counts].sort((a, b) => a - b));
    const count = scraped.value(`${name}_count`, labels) ?? 0;
    expect(counts.at(-1)).toBe(count);
    expect(scraped.value(`${name}_sum`, labels)).toBeLessThan(count * 10);
  });

  it('no label contains text of a caller, and no key, team or secret appears', async () => {
    const { url } = gateway.running;
    const { id, secret } = await gateway.issue();
    const invented = 'invented-by-a-caller';
    await verify({ key: secret, [invented]: 1 });
    await verify({ key: secret });
    await send(gateway.url, { path: `/v1/authorize?env=live&${invented}=${secret}` });
    await send(gateway.url, { path: `/${invented}/${secret}`, method: 'PURGE' });
    await send(url, { path: `/v1/keys/${secret}`, method: 'PATCH' });
    await send(url, { path: `/${invented}?${secret}`, method: 'PURGE' });
    await send(url, { path: `/graphql/${invented}` });
    await graphql(
      url,
      token,
      `query ${invented.replaceAll('-', '_')} { ${'x'}: keys(teamId: "${gateway.teamId}") { totalCount } }`,
    );
    await graphql(url, token, `{ ${invented.replaceAll('-', '_')} }`);
    const scraped = await read();
    for (const text of [invented, invented.replaceAll('-', '_'), id, gateway.teamId, secret, secret.slice(0, 16)]) {
      expect(scraped.text).not.toContain(text);
    }
    const known: Readonly<Record<string, ReadonlySet<string>>> = {
      code: new Set(verdictCodes),
      caller: new Set(storeCallers),
      operation: new Set([...rootFields, 'introspection', 'invalid']),
      outcome: new Set(['OK', 'answered', 'failed', 'delivered', 'retried', ...Object.keys(errorTable)]),
      port: new Set(['management', 'verification']),
      reason: new Set(['gone', 'failing']),
      result: new Set(['hit', 'miss']),
      route: new Set([
        ...routes.map(({ method, path }) => `${method} ${path}`),
        ...['/graphql', '/v1/verify', '/v1/authorize', '/v1/introspect', '/healthz', '/readyz', 'other'],
      ]),
      status: new Set(['1xx', '2xx', '3xx', '4xx', '5xx']),
    };
    const ours = scraped.samples.filter(({ name }) => name.startsWith('latchkey_'));
    expect(ours.length).toBeGreaterThan(100);
    for (const { name, labels } of ours) {
      for (const [label, value] of Object.entries(labels)) {
        if (label !== 'le') expect(known[label]?.has(value), `${name}{${label}="${value}"}`).toBe(true);
      }
    }
  });

  it('names, units and help texts follow the conventions of Prometheus', async () => {
    const { text } = await read();
    const types = [...text.matchAll(/^# TYPE (latchkey_\w+) (\w+)$/gm)];
    expect(types.length).toBeGreaterThan(15);
    for (const [, name = '', type] of types) {
      expect(text).toMatch(new RegExp(`^# HELP ${name} [A-Z].{10,}\\.$`, 'm'));
      expect(name.endsWith('_total'), name).toBe(type === 'counter');
      if (type === 'histogram') expect(name).toMatch(/_seconds$/);
      expect(name).not.toMatch(/_ms$|milli|micro/);
    }
  });

  it('the lag of the event loop is exported', async () => {
    expect((await read()).value('nodejs_eventloop_lag_p99_seconds')).toBeTypeOf('number');
  });
});

it('errors of the store are counted by the caller of the store', async () => {
  const gateway = await startGateway('sqlite');
  const read = async () => new Scrape(await metricsOf(gateway.running.service.readings).text());
  const { secret } = await gateway.issue();
  expect((await read()).value('latchkey_store_errors_total')).toBe(0);
  // Without its knowledge, as by a mistake of the operator.
  await gateway.running.service.close();
  expect((await rest(gateway.url, null, 'POST', '/v1/verify', { key: secret })).status).toBe(503);
  const scraped = await read();
  expect(scraped.value('latchkey_store_errors_total', { caller: 'confirmation' })).toBe(1);
  expect(scraped.value('latchkey_confirmations_total', { outcome: 'failed' })).toBe(1);
  const answers = { port: 'verification', route: '/v1/verify', status: '5xx' };
  expect(scraped.value('latchkey_http_request_duration_seconds_count', answers)).toBe(1);
  await stopListening(gateway.running.service.gateway);
  await gateway.running.database.remove();
});

it('edges that sent a request in the last seconds are counted', async () => {
  const service = await startGateway('sqlite');
  const count = async () =>
    new Scrape(await metricsOf(service.running.service.readings).text()).value('latchkey_edges');
  expect(await count()).toBe(0);
  const edges = [1, 2].map(() => createLocalVerifier({ url: service.url, timeoutMs: 20_000 }));
  const { secret } = await service.issue();
  const ask = async () => {
    for (const edge of edges) await edge.verify({ key: secret });
    return await count();
  };
  // Both in the same ten seconds.
  await expect.poll(ask).toBe(2);
  for (const edge of edges) await edge.close();
  await service.stop();
});

describe('the metrics port', () => {
  const stops: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });
  const serve = async (read: () => Promise<string>, token: string | null = null) => {
    const reports: string[] = [];
    const server = createMetricsServer({ read, token, report: (_, what) => void reports.push(what) });
    stops.push(() => stopListening(server));
    return { url: await listen(server), reports };
  };

  it('requires its token, if one is configured', async () => {
    const { url } = await serve(async () => 'latchkey 1\n', 'a-token-of-the-tests');
    const get = (authorization?: string) =>
      send(url, { path: '/metrics', headers: authorization === undefined ? {} : { authorization } });
    for (const wrong of [undefined, '', 'Bearer', 'Bearer a-token-of-the-test', 'a-token-of-the-tests']) {
      const { status, headers, body } = await get(wrong);
      expect([status, headers['www-authenticate'], body]).toEqual([401, 'Bearer', 'METRICS_TOKEN is needed here.\n']);
    }
    for (const right of ['Bearer a-token-of-the-tests', 'bearer  a-token-of-the-tests'])
      expect(await get(right)).toMatchObject({ status: 200, body: 'latchkey 1\n' });
  });

  it('serves only GET /metrics, in the format of Prometheus', async () => {
    const { url } = await serve(async () => 'latchkey 1\n');
    const { headers } = await send(url, { path: '/metrics' });
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect((await send(url, { path: '/' })).status).toBe(404);
    expect((await send(url, { path: '/metrics', method: 'POST' })).status).toBe(405);
  });

  it('reads once for concurrent requests', async () => {
    let reads = 0;
    let answer: (text: string) => void = () => undefined;
    const { url } = await serve(async () => {
      reads += 1;
      return await new Promise((resolve) => {
        answer = resolve;
      });
    });
    const answers = [send(url, { path: '/metrics' }), send(url, { path: '/metrics' })];
    // Both have been read when a third on a later connection is answered.
    await expect.poll(() => reads).toBe(1);
    await send(url, { path: '/' });
    answer('latchkey 1\n');
    for (const { body } of await Promise.all(answers)) expect(body).toBe('latchkey 1\n');
    expect(reads).toBe(1);
  });

  it('answers 500 if the metrics cannot be read, and continues', async () => {
    const { url, reports } = await serve(async () => Promise.reject(new Error('a reason')));
    for (let i = 0; i < 2; i += 1) {
      const { status, body } = await send(url, { path: '/metrics' });
      expect([status, body]).toEqual([500, 'The metrics could not be read.\n']);
    }
    expect(reports).toHaveLength(2);
  });

  it('listens only if METRICS_PORT is set, and no other port has metrics', async () => {
    const database = await temporaryDatabase('sqlite');
    stops.push(() => database.remove());
    const environment = { DATA_DIR: database.directory };
    const without = await startBuilt(environment);
    expect(without.metricsUrl).toBe('');
    await without.stop();
    const service = await startBuilt({ ...environment, METRICS_PORT: '0' });
    stops.push(() => service.stop());
    expect((await send(service.metricsUrl, { path: '/metrics' })).body).toContain(
      'latchkey_verdicts_total{code="VALID",process="verification-1"} 0',
    );
    for (const url of [service.url, service.verifyUrl]) {
      const { status, body } = await send(url, { path: '/metrics' });
      expect(status).not.toBe(200);
      expect(body).not.toContain('latchkey_');
    }
  });
});
