import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { startCollector } from '../support/collector.ts';
import { startGateway, stopListening } from '../support/gateway.ts';
import { both, rest, sessionToken } from '../support/service.ts';

it('the operation of each of many concurrent calls is a child of the span of its own call', async () => {
  const collector = await startCollector();
  const gateway = await startGateway('sqlite', { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint });
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
  await stopListening(gateway.running.service.gateway);
  await gateway.running.stop();
  await collector.stop();
  for (const { traceId, isRest } of calls) {
    const spans = collector.spans.filter((span) => span.traceId === traceId);
    expect(spans).toHaveLength(2);
    const call = spans.find(({ name }) => name === (isRest ? 'POST /v1/keys' : '/graphql'));
    const operation = spans.find(({ name }) => name === (isRest ? 'mutation createKey' : 'query viewer'));
    expect(call?.spanId).toBeDefined();
    expect(operation?.parentSpanId).toBe(call?.spanId);
  }
});
