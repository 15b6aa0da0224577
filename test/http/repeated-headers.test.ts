// SECURITY.md: Malformed or ambiguous input
/** Requests with two fields where there may be one: two readers of the same request could use different ones. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMetricsServer } from '../../src/metrics/server.ts';
import { edgePort, listen, type RunningGateway, startGateway, stopListening } from '../support/gateway.ts';
import { exchangeBytes } from '../support/raw-exchange.ts';
import { both, sessionToken } from '../support/service.ts';

let gateway: RunningGateway;
let urls: Readonly<Record<string, string>>;
const edge = edgePort((_, respond) => respond.answer({ code: 'NOT_FOUND', key: null, rateLimit: null }));
const metrics = createMetricsServer({ read: async () => '', token: null, report: () => undefined });

beforeAll(async () => {
  gateway = await startGateway('sqlite');
  urls = {
    management: gateway.running.url,
    verification: gateway.url,
    edge: await listen(edge),
    metrics: await listen(metrics),
  };
});
afterAll(async () => {
  await stopListening(edge);
  await stopListening(metrics);
  await gateway.stop();
});

const statusesIn = (received: string) => [...received.matchAll(/^HTTP\/1\.1 (\d+) /gm)].map(([, status]) => status);
const request = (target: string, ...fields: string[]) =>
  `${[target, ...fields, 'Connection: close'].join('\r\n').replace(/^(\S+ \S+)/, '$1 HTTP/1.1')}\r\n\r\n`;

describe.each(['management', 'verification', 'edge', 'metrics'])('the %s port', (port) => {
  const path = port === 'metrics' ? '/metrics' : '/healthz';

  it.each([
    ['Host', ['Host: a', 'host: a']],
    ['Authorization', ['Host: a', 'Authorization: Bearer a', 'authorization: Bearer b']],
  ])('rejects a request with two %s fields with 400', async (field, fields) => {
    const received = await exchangeBytes(urls[port] ?? '', request(`GET ${path}`, ...fields));
    expect(statusesIn(received)).toEqual(['400']);
    expect(received).toContain(field);
    expect((await exchangeBytes(urls[port] ?? '', request(`GET ${path}`, 'Host: a'))).startsWith('HTTP/1.1 200')).toBe(
      true,
    );
  });
});

it('neither of two keys is verified, and neither of two session tokens is accepted', async () => {
  const { secret, id } = await gateway.issue();
  const [key, other] = [`Authorization: Bearer ${secret}`, 'Authorization: Bearer other'];
  const token = `Authorization: Bearer ${sessionToken({ [gateway.teamId]: both })}`;
  const calls = [
    [gateway.url, 'GET /v1/authorize'],
    [gateway.url, 'DELETE /v1/keys/self'],
    [gateway.running.url, `DELETE /v1/keys/${id}`],
    [gateway.running.url, 'GET /graphql?query=%7B__typename%7D'],
  ] as const;
  for (const [url, target] of calls) {
    const right = url === gateway.url ? key : token;
    for (const fields of [
      [right, other],
      [other, right],
      [right, right],
    ]) {
      const received = await exchangeBytes(url, request(target, 'Host: a', ...fields));
      expect(statusesIn(received)).toEqual(['400']);
      expect(received).toContain('BAD_USER_INPUT');
      expect(received).not.toContain(secret);
    }
  }
  const authorized = await exchangeBytes(gateway.url, request('GET /v1/authorize', 'Host: a', key));
  expect(statusesIn(authorized)).toEqual(['200']);
});
