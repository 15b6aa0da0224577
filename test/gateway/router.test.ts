import { expect, it } from 'vitest';
import type { GatewayEndpoint } from '../../src/gateway/router.ts';
import { Router } from '../../src/gateway/router.ts';

const endpoint = (route: string, options: Partial<GatewayEndpoint> = {}): GatewayEndpoint => ({
  route,
  answer: () => undefined,
  ...options,
});
const read = endpoint('/v1/thing', { methods: ['GET'] });
const remove = endpoint('/v1/thing', { methods: ['DELETE'] });
const any = endpoint('/v1/any', { isPrefix: true, convention: 'nginx' });
const router = new Router([read, remove, any]);

it('finds the endpoint of a path and a method, and further segments only after the path of a prefix', () => {
  for (const [method, url, endpoint] of [
    ['GET', '/v1/thing', read],
    ['DELETE', '/v1/thing', remove],
    ['PURGE', '/v1/any', any],
    ...['?env=live', '/live/orders', '/'].map((rest) => ['GET', `/v1/any${rest}`, any] as const),
  ] as const) {
    expect(router.find(method, url)).toBe(endpoint);
  }
  for (const url of ['/v1/anything', '/v1/thing?a', '/v1/thing/', '/v1/an', '', '*']) {
    expect(router.find('GET', url).route).toBe('other');
  }
});

it('keeps the route of a path for methods that none of its endpoints accepts', () => {
  const rejecting = router.find('POST', '/v1/thing');
  expect(rejecting).toMatchObject({ route: '/v1/thing' });
  expect([read, remove]).not.toContain(rejecting);
});
