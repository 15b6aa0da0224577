import { expect, it } from 'vitest';
import { parseAllowedSource } from '../../../src/domain/source/allowed-source.ts';
import { coverageOf } from '../../../src/domain/source/coverage.ts';

const sourcesOf = (list: string) =>
  list.split(' ').flatMap((entry) => {
    const parsed = parseAllowedSource(entry);
    return parsed.ok ? [parsed.value] : [];
  });

it.each([
  ['0.0.0.0/0', 1, 0],
  ['::/0', 0, 1],
  ['2000::/3', 0, 1],
  ['128.0.0.0/1 0.0.0.0/2 64.0.0.0/2', 1, 0],
  ['0.0.0.0/1 0.0.0.0/1 10.0.0.0/8 ::/0', 0.5, 1],
  ['8.0.0.0/7', 1 / 128, 0],
  // Private addresses of IPv6 are not on the internet.
  ['10.0.0.0/8 fc00::/7 vpn.example.com', 1 / 256, 0],
  ['203.0.113.9 2001:db8::/32', 0, 0],
])('%s covers %d of IPv4 and %d of the public IPv6 addresses', (list, ipv4, ipv6) => {
  expect(coverageOf(sourcesOf(list), 4)).toBeCloseTo(ipv4, 5);
  expect(coverageOf(sourcesOf(list), 6)).toBeCloseTo(ipv6, 5);
});

it('a list that lacks one address does not cover everything', () => {
  const halves = Array.from({ length: 32 }, (_, i) => `${2 ** i >= 2 ** 24 ? 2 ** (i - 24) : 0}.0.0.0/${32 - i}`);
  expect(coverageOf(sourcesOf(halves.slice(24).join(' ')), 4)).toBeLessThan(1);
});
