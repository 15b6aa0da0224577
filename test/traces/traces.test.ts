// SECURITY.md: A log or a trace; Bytes from outside
/** Traces over OTLP: they describe a call without any text of its caller. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { VerificationSampling } from '../../src/traces/open-telemetry.ts';
import { type Collector, startCollector } from '../support/collector.ts';
import { temporaryDatabase } from '../support/databases.ts';
import { type RunningGateway, send, startGateway, stopListening } from '../support/gateway.ts';
import { both, graphql, rest, sessionToken } from '../support/service.ts';

const run = promisify(execFile);
const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function startTraced(
  environment: NodeJS.ProcessEnv = {},
): Promise<{ collector: Collector; gateway: RunningGateway }> {
  const collector = await startCollector();
  stops.push(collector.stop);
  const gateway = await startGateway('sqlite', { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, ...environment });
  return { collector, gateway };
}

/** Spans are sent at the latest when the service stops. */
async function stop({ running }: RunningGateway): Promise<void> {
  await stopListening(running.service.gateway);
  await running.stop();
}

/** As the caller's own tracing would write it. */
function traceparent(sampled: boolean) {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  return { traceId, spanId, header: { traceparent: `00-${traceId}-${spanId}-0${sampled ? 1 : 0}` } };
}

it('a management call is a span in its caller’s trace, with its operations inside, over REST and GraphQL', async () => {
  const { collector, gateway } = await startTraced();
  const { url } = gateway.running;
  const token = sessionToken({ [gateway.teamId]: both });
  const theirs = traceparent(true);
  const body = { teamId: gateway.teamId, name: 'One', env: 'live' };
  const created = await rest(url, token, 'POST', '/v1/keys', body, theirs.header);
  const authorization = `Bearer ${token}`;
  await send(url, {
    method: 'POST',
    path: '/graphql',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ query: `{ a: viewer { subject } key(id: "${crypto.randomUUID()}") { id } }` }),
  });
  await stop(gateway);

  const call = collector.spans.find(({ name }) => name === 'POST /v1/keys');
  expect(call).toMatchObject({ traceId: theirs.traceId, parentSpanId: theirs.spanId, failed: false });
  expect(call?.attributes).toEqual({
    'http.route': 'POST /v1/keys',
    'http.request.method': 'POST',
    'http.response.status_code': 201,
    'latchkey.request_id': created.headers.get('x-request-id'),
  });
  const inside = collector.spans.find(({ name }) => name === 'mutation createKey');
  expect(inside).toMatchObject({ traceId: theirs.traceId, parentSpanId: call?.spanId });
  expect(inside?.attributes).toMatchObject({ 'latchkey.operations': ['createKey'], 'latchkey.outcomes': ['OK'] });

  const query = collector.spans.find(({ name }) => name === 'query');
  expect(query?.attributes).toMatchObject({
    'graphql.operation.type': 'query',
    'latchkey.operations': ['viewer', 'key'],
    'latchkey.outcomes': ['OK', 'KEY_NOT_FOUND'],
  });
  expect(collector.spans.find(({ name }) => name === '/graphql')?.spanId).toBe(query?.parentSpanId);
  expect(collector.resource()).toMatchObject({ 'service.name': 'latchkey', 'service.instance.id': expect.any(String) });
});

it('the operation of each of many concurrent calls is a child of the span of its own call', async () => {
  const { collector, gateway } = await startTraced();
  const { url } = gateway.running;
  const calls = Array.from({ length: 40 }, (_, i) => ({
    // Different subjects, because one may use only a quarter of the slots.
    token: sessionToken({ [gateway.teamId]: both }, `subject-${i}`),
    traceId: randomBytes(16).toString('hex'),
    isRest: i % 2 === 0,
  }));
  const answersTo = (all: typeof calls) =>
    Promise.all(
      all.map(({ token, traceId, isRest }) => {
        const header = { traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01` };
        return isRest
          ? rest(url, token, 'POST', '/v1/keys', { teamId: gateway.teamId, name: 'One', env: 'live' }, header)
          : rest(url, token, 'POST', '/graphql', { query: '{ viewer { subject } }' }, header);
      }),
    );
  // Opens the connections. Node accepts one in a turn of the event loop, so the first calls do not arrive together.
  await answersTo(calls.map((call) => ({ ...call, traceId: randomBytes(16).toString('hex') })));
  const answers = await answersTo(calls);
  expect(answers.map(({ status }) => status)).toEqual(calls.map(({ isRest }) => (isRest ? 201 : 200)));
  await stop(gateway);
  for (const { traceId, isRest } of calls) {
    const spans = collector.spans.filter((span) => span.traceId === traceId);
    expect(spans).toHaveLength(2);
    const call = spans.find(({ name }) => name === (isRest ? 'POST /v1/keys' : '/graphql'));
    const operation = spans.find(({ name }) => name === (isRest ? 'mutation createKey' : 'query viewer'));
    expect(call?.spanId).toBeDefined();
    expect(operation?.parentSpanId).toBe(call?.spanId);
  }
});

it('a trace that the caller does not record is not recorded here', async () => {
  const { collector, gateway } = await startTraced({ VERIFY_TRACE_RATIO: '1' });
  const { header } = traceparent(false);
  const token = sessionToken({ [gateway.teamId]: both });
  await rest(gateway.running.url, token, 'GET', `/v1/keys?teamId=${gateway.teamId}`, undefined, header);
  await rest(gateway.url, null, 'POST', '/v1/verify', { key: 'x' }, header);
  await stop(gateway);
  expect(collector.spans).toEqual([]);
});

it('a list has no more listeners on its answer than expected, of which Node.js would warn', async () => {
  const warnings: string[] = [];
  const onWarning = ({ message }: Error) => void warnings.push(message);
  process.on('warning', onWarning);
  onTestFinished(() => void process.off('warning', onWarning));
  const { gateway } = await startTraced();
  const token = sessionToken({ [gateway.teamId]: both });
  expect((await rest(gateway.running.url, token, 'GET', `/v1/keys?teamId=${gateway.teamId}`)).status).toBe(200);
  await stop(gateway);
  expect(warnings).toEqual([]);
});

it('verifications are traced by their share, or when their caller’s trace is; never health', async () => {
  const { collector, gateway } = await startTraced({ VERIFY_TRACE_RATIO: '0' });
  const { secret } = await gateway.issue();
  const theirs = traceparent(true);
  await rest(gateway.url, null, 'POST', '/v1/verify', { key: secret });
  await rest(gateway.url, null, 'GET', '/readyz', undefined, theirs.header);
  await rest(gateway.url, null, 'GET', '/nowhere', undefined, theirs.header);
  await rest(gateway.url, null, 'POST', '/v1/verify', { key: secret, env: 'test' }, theirs.header);
  await send(gateway.url, {
    path: '/v1/authorize?env=live',
    headers: { ...theirs.header, authorization: `Bearer ${secret}` },
  });
  await rest(gateway.url, null, 'POST', '/v1/verify', {}, theirs.header);
  await stop(gateway);
  expect(
    collector.spans.map(({ name, attributes }) => [
      name,
      attributes['http.response.status_code'],
      attributes['latchkey.verdict'],
    ]),
  ).toEqual([
    ['/v1/verify', 200, 'WRONG_ENVIRONMENT'],
    ['/v1/authorize', 200, 'VALID'],
    ['/v1/verify', 400, undefined],
  ]);
  for (const span of collector.spans) {
    expect(span).toMatchObject({ traceId: theirs.traceId, parentSpanId: theirs.spanId, failed: false });
  }

  const all = await startTraced({ VERIFY_TRACE_RATIO: '1' });
  await rest(all.gateway.url, null, 'POST', '/v1/verify', { key: 'x' });
  await stop(all.gateway);
  expect(all.collector.spans.map(({ attributes }) => attributes['latchkey.verdict'])).toEqual(['MALFORMED']);
});

it('no secret, token, id of a key or team, nor any text of a caller is in a trace', async () => {
  const { collector, gateway } = await startTraced({
    VERIFY_TRACE_RATIO: '1',
    KEY_LOCATIONS: 'authorization,header:x-api-key',
  });
  const { url } = gateway.running;
  const { id, secret, signingSecret } = await gateway.issueSigning();
  const token = sessionToken({ [gateway.teamId]: both }, 'a-subject-of-the-tests');
  const invented = 'invented_by_a_caller';
  const hostile = {
    traceparent: traceparent(true).header.traceparent,
    tracestate: `vendor=${invented}`,
    baggage: `a=${secret}`,
  };
  const explain =
    'query invented_by_a_caller($i: ExplainVerificationInput!) { invented_by_a_caller: explainVerification(input: $i) { code } }';
  const explained = await graphql(url, token, explain, { i: { teamId: gateway.teamId, secret } });
  expect(explained.body.data[invented].code).toBe('SIGNATURE_REQUIRED');
  await graphql(url, token, `{ ${invented} }`);
  await rest(url, token, 'POST', `/v1/keys/${id}/signing/rotate`, undefined, hostile);
  await rest(url, token, 'POST', '/v1/keys', { teamId: gateway.teamId, name: invented, env: 'live', secret }, hostile);
  await send(url, {
    path: `/v1/keys/${secret}?${invented}`,
    method: 'PATCH',
    headers: { authorization: `Bearer ${token}` },
  });
  await send(url, { path: `/graphql?query=${secret}`, method: invented.toUpperCase() }).catch(() => undefined);
  await rest(gateway.url, null, 'POST', '/v1/verify', { key: secret, [invented]: secret }, hostile);
  await rest(gateway.url, null, 'POST', '/v1/verify', { key: secret }, hostile);
  await send(gateway.url, {
    path: `/v1/authorize?${secret}`,
    headers: { ...hostile, authorization: `Bearer ${secret}` },
  });
  for (const more of [{}, { authorization: `Bearer ${invented}` }]) {
    await send(gateway.url, { path: '/v1/authorize', headers: { ...hostile, 'x-api-key': secret, ...more } });
  }
  await stop(gateway);
  const outcomes = collector.spans.map(({ attributes }) => attributes['latchkey.verdict']);
  expect(outcomes).toEqual(expect.arrayContaining(['SIGNATURE_REQUIRED', 'AMBIGUOUS']));
  expect(collector.spans.length).toBeGreaterThan(10);
  const written = [
    secret,
    secret.slice(0, 16),
    signingSecret,
    id,
    gateway.teamId,
    token,
    token.split('.')[1] ?? '',
    invented,
    'a-subject-of-the-tests',
  ];
  for (const text of written) expect(collector.received()).not.toContain(text);
});

it('an unreachable or silent collector changes no response, and does not delay the shutdown', async () => {
  const collector = await startCollector();
  await collector.stop();
  const gateway = await startGateway('sqlite', {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    VERIFY_TRACE_RATIO: '1',
  });
  const { secret } = await gateway.issue();
  expect((await rest(gateway.url, null, 'POST', '/v1/verify', { key: secret })).body.code).toBe('VALID');
  const startedAt = performance.now();
  await stop(gateway);
  expect(performance.now() - startedAt).toBeLessThan(15_000);
});

it('OpenTelemetry and prom-client are loaded only if they are configured', async () => {
  const database = await temporaryDatabase('sqlite');
  stops.push(() => database.remove());
  const loaded = async (environment: NodeJS.ProcessEnv) => {
    const script = `
      import Module from 'node:module';
      import { readConfiguration } from './src/config/configuration.ts';
      import { createLog } from './src/service/log.ts';
      import { composeManagement } from './src/service/compose/compose-management.ts';
      import { composeVerification } from './src/service/compose/compose-verification.ts';
      import { answerMetrics, serveMetrics } from './src/service/compose/observability.ts';
      const configuration = readConfiguration(${JSON.stringify({ DATA_DIR: database.directory, LOG_LEVEL: 'silent', ...environment })});
      const log = createLog('silent');
      const { readings, controlPlane } = await composeManagement({ configuration, log, verifyPort: () => 0, onPrepared: () => undefined });
      const verification = await composeVerification(configuration, log, controlPlane);
      await answerMetrics(configuration, { management: readings, verification: verification.readings });
      await serveMetrics(configuration, () => undefined, async () => async () => '');
      const names = Object.keys(Module._cache).flatMap((file) => /node_modules.(@opentelemetry.[\\w-]+|prom-client)/.exec(file)?.[1] ?? []);
      console.log(JSON.stringify([...new Set(names)]));
      process.exit(0);`;
    const { stdout } = await run('node', ['--input-type=module', '-e', script], { env: { PATH: process.env.PATH } });
    return JSON.parse(stdout) as string[];
  };
  expect(await loaded({})).toEqual([]);
  expect(await loaded({ METRICS_PORT: '0' })).toContain('prom-client');
  expect(await loaded({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' })).toContain('@opentelemetry/sdk-trace');
});

describe('of verifications', () => {
  it('the ratio applies to calls without a trace context; the context of the caller decides otherwise', () => {
    const [never, always] = [new VerificationSampling(0), new VerificationSampling(1)];
    expect([never, always].map((sampling) => sampling.shouldTrace(undefined, 0))).toEqual([false, true]);
    expect(always.shouldTrace(false, 0)).toBe(false);
    expect(never.shouldTrace(true, 0)).toBe(true);
  });

  it('at most a hundred calls per second are traced, also on request', () => {
    const sampling = new VerificationSampling(1);
    const traced = (nowMs: number) =>
      Array.from({ length: 500 }, () => sampling.shouldTrace(true, nowMs)).filter(Boolean).length;
    expect([traced(1000), traced(1999), traced(2000)]).toEqual([100, 0, 100]);
  });
});
