import { expect, test } from 'vitest';
import { networkOf, shareHolderOf } from '../../../src/domain/source/client-network.ts';
import { formatIpAddress } from '../../../src/domain/source/ip-address.ts';
import { secretStandingOf, unlistedAddress } from '../../../src/domain/source/observed-source.ts';

test('each IPv4 address is a network, and the addresses of an IPv6 /64 are one', () => {
  const same = (a: string | null | undefined, b: string | null | undefined) => networkOf(a) === networkOf(b);
  expect(same('192.0.2.1', '::ffff:192.0.2.1')).toBe(true);
  expect(same('192.0.2.1', '192.0.2.2')).toBe(false);
  expect(same('2001:db8::1', '2001:db8::ffff:ffff:ffff:ffff')).toBe(true);
  expect(same('2001:db8::1', '2001:db8:0:1::1')).toBe(false);
  // The number of the address, and of the network, is 1.
  expect(same('0.0.0.1', '0:0:0:1::')).toBe(false);
});

test('clients without a known address belong to no network, and have one share together of what is used at once', () => {
  const unknown = [null, undefined, '', 'nowhere'];
  expect(unknown.map(networkOf)).toEqual(Array(4).fill(null));
  expect(unknown.map(shareHolderOf)).toEqual(Array(4).fill('unknown'));
  expect(shareHolderOf('192.0.2.1')).toBe(networkOf('192.0.2.1'));
});

test('a secret is the current one, the one before it, or an earlier one', () => {
  expect([4, 3, 2, 1].map((version) => secretStandingOf(version, 3))).toEqual([
    'CURRENT',
    'CURRENT',
    'PREVIOUS',
    'EARLIER',
  ]);
});

test('sources that are not listed are recorded under the address that no packet comes from', () => {
  expect(formatIpAddress(unlistedAddress)).toBe('::');
});
