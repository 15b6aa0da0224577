import { expect, it } from 'vitest';
import type { Endpoint } from '../../src/gateway/router.ts';
import { Router } from '../../src/gateway/router.ts';

const endpoint = (route: string, options: Partial<Endpoint> = {}): Endpoint => ({
  route,
  answer: () => undefined,
  ...options,
});
const read = endpoint('/v1/thing', { methods: ['GET'] });
const remove = endpoint('/v1/thing', { methods: ['DELETE'] });
const any = endpoint('/v1/any', { isPrefix: true, convention: 'nginx' });
const router = new Router([read, remove, any]);

it('finds the endpoint of a path and a method, also if several endpoints share the path', () => {
  expect(router.find('GET', '/v1/thing')).toBe(read);
  expect(router.find('DELETE', '/v1/thing')).toBe(remove);
  expect(router.find('PURGE', '/v1/any')).toBe(any);
});

it('accepts a query or further segments only after the path of a prefix', () => {
  for (const url of ['/v1/any?env=live', '/v1/any/live/orders', '/v1/any/']) expect(router.find('GET', url)).toBe(any);
  for (const url of ['/v1/anything', '/v1/thing?a', '/v1/thing/', '/v1/an', '', '*']) {
    expect(router.find('GET', url).route).toBe('other');
  }
});

it('keeps the route of a path for methods that none of its endpoints accepts', () => {
  const rejecting = router.find('POST', '/v1/thing');
  expect(rejecting).toMatchObject({ route: '/v1/thing' });
  expect([read, remove]).not.toContain(rejecting);
});
