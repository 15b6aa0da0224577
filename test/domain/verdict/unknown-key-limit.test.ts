import { expect, it } from 'vitest';
import { parseIpAddress } from '../../../src/domain/source/ip-address.ts';
import { UnknownKeyLimit } from '../../../src/domain/verdict/unknown-key-limit.ts';

const address = (text: string) => parseIpAddress(text) ?? expect.fail('not an address');

it('limits a source to its unknown keys per minute, and no other source', () => {
  const limit = new UnknownKeyLimit(2);
  const [source, other] = [address('192.0.2.1'), address('192.0.2.2')];
  limit.count(source, 0);
  expect(limit.retryAfterSeconds(source, 1000)).toBeNull();
  limit.count(source, 1000);
  expect(limit.retryAfterSeconds(source, 1000)).toBe(59);
  expect(limit.retryAfterSeconds(other, 1000)).toBeNull();
  expect(limit.retryAfterSeconds(source, 60_000)).toBeNull();
});

it('counts the IPv6 addresses of one /64 together, and requests without a known source not at all', () => {
  const limit = new UnknownKeyLimit(1);
  limit.count(address('2001:db8::1'), 0);
  limit.count(undefined, 0);
  expect(limit.retryAfterSeconds(address('2001:db8::ffff:2'), 0)).toBe(60);
  expect(limit.retryAfterSeconds(address('2001:db8:0:1::1'), 0)).toBeNull();
  expect(limit.retryAfterSeconds(undefined, 0)).toBeNull();
});
