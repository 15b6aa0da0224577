/** The examples of docs/start/quickstarts.md: each one runs as it is written, in front of a real verification port. */
import type { OutgoingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { signRequest } from '../../src/client/sign.ts';
import { blockOf, sectionsOf } from '../support/documents.ts';
import { send, sharedGateway, stopListening } from '../support/gateway.ts';
import { removeGoPrograms } from '../support/go.ts';
import { until } from '../support/instance.ts';
import { at } from './page.ts';
import { type Api, document, quickstarts, verificationPort } from './quickstarts.ts';
import { spoofedHeaders } from './spoofed-headers.ts';

test('every example is run, and has at most 25 lines', () => {
  const examples = sectionsOf(document).filter(({ title, blocks }) => title !== '' && blocks.length > 0);
  expect(examples.map(({ title }) => title).sort()).toEqual([...Object.keys(quickstarts), 'Envoy'].sort());
  const long = examples.filter(({ blocks }) => blocks.some(({ text }) => text.trimEnd().split('\n').length > 25));
  expect(long.map(({ title }) => title)).toEqual([]);
});

test('the quickstart for Envoy has the parts of the configuration that envoy-grpc.test.ts runs', () => {
  const { static_resources: whole } = parse(blockOf('docs/tasks/gateways/envoy.md', 'Envoy over gRPC'));
  const { http_filters: filters, route_config: routes } = whole.listeners[0].filter_chains[0].filters[0].typed_config;
  expect(parse(blockOf(document, 'Envoy'))).toEqual({
    http_filters: [filters[0]],
    clusters: [whole.clusters[1]],
    typed_per_filter_config: routes.virtual_hosts[0].routes[0].typed_per_filter_config,
  });
});

for (const [title, { missing }] of Object.entries(quickstarts)) {
  if (missing !== undefined) console.warn(`The quickstart for ${title} is not run: ${missing}`);
}
const runnable = Object.entries(quickstarts).filter(([, { missing }]) => missing === undefined);

describe.each(runnable)('the quickstart for %s', (title, { start }) => {
  const gateway = sharedGateway('sqlite');
  let api: Api | undefined;
  beforeAll(async () => {
    const verify = gateway.url.replace('http://', '');
    api = await start(at(blockOf(document, title), { [verificationPort]: verify }));
    // Its client allows a second for a verdict, which may not suffice for the first one.
    await until('it verifies', async () => (await order('a.guess')).status === 401);
  });
  afterAll(async () => {
    await api?.stop();
    await removeGoPrograms();
  });

  async function order(key: string | null, others: OutgoingHttpHeaders = {}) {
    const headers = { ...others, ...(key === null ? {} : { authorization: `Bearer ${key}` }) };
    const { status, body } = await send(api?.origin ?? '', { path: '/orders', headers, elsewhere: true });
    return { status, keyId: status === 200 ? JSON.parse(body).keyId : null };
  }

  it('accepts a valid key, and rejects none, a test key and a revoked one from the next request on', async () => {
    const { id, secret } = await gateway.issue();
    expect(await order(secret)).toEqual({ status: 200, keyId: id });
    expect(await order(null)).toEqual({ status: 401, keyId: null });
    expect(await order((await gateway.issue({ env: 'test' })).secret)).toEqual({ status: 403, keyId: null });
    await gateway.revoke(id);
    expect(await order(secret)).toEqual({ status: 401, keyId: null });
  });

  it('knows the key from Latchkey, whatever headers of Latchkey the client sets', async () => {
    const { id, secret } = await gateway.issue();
    expect(await order(secret, { ...spoofedHeaders })).toEqual({ status: 200, keyId: id });
    expect(await order(null, { ...spoofedHeaders })).toEqual({ status: 401, keyId: null });
  });

  it('rejects a signature for another URL, whatever the client reports', async () => {
    const { id, secret, signingSecret } = await gateway.issueSigning();
    const url = 'https://elsewhere.example/';
    const signature = signRequest({ method: 'GET', url }, { keyId: id, signingSecret });
    const reported = { 'x-original-method': 'GET', 'x-original-url': url, 'x-original-content-length': '0' };
    const headers = { authorization: `Bearer ${secret}`, ...signature, ...reported };
    expect((await send(api?.origin ?? '', { path: '/orders', headers, elsewhere: true })).status).toBe(401);
  });

  // Last: nothing works afterwards.
  it('answers 503 while Latchkey cannot be reached', async () => {
    const { secret } = await gateway.issue();
    expect((await order(secret)).status).toBe(200);
    await stopListening(gateway.running.service.gateway);
    expect(await order(secret)).toEqual({ status: 503, keyId: null });
  });
});
