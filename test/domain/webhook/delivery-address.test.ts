// SECURITY.md: Hostile tenant
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { describe, expect, it, test } from 'vitest';
import type { AllowedNetwork } from '../../../src/domain/source/allowed-source.ts';
import { bitsOf, formatIpAddress, type IpAddress, parseIpAddress } from '../../../src/domain/source/ip-address.ts';
import { isPublicAddress, parseAllowedNetwork, receiverProblem } from '../../../src/domain/webhook/delivery-address.ts';

/** IANA's registries of special-purpose addresses for IPv4 and IPv6 as of 2026, and the multicast ranges. */
const specialBlocks = {
  '0.0.0.0/8': 'this network',
  '0.0.0.0/32': 'this host on this network',
  '10.0.0.0/8': 'private use',
  '100.64.0.0/10': 'shared address space (CGNAT)',
  '127.0.0.0/8': 'loopback',
  '169.254.0.0/16': 'link local',
  '172.16.0.0/12': 'private use',
  '192.0.0.0/24': 'IETF protocol assignments',
  '192.0.0.0/29': 'IPv4 service continuity prefix',
  '192.0.0.8/32': 'IPv4 dummy address',
  '192.0.0.9/32': 'port control protocol anycast',
  '192.0.0.10/32': 'TURN anycast',
  '192.0.0.170/32': 'NAT64/DNS64 discovery',
  '192.0.0.171/32': 'NAT64/DNS64 discovery',
  '192.0.2.0/24': 'documentation (TEST-NET-1)',
  '192.31.196.0/24': 'AS112-v4',
  '192.52.193.0/24': 'AMT',
  '192.88.99.0/24': 'deprecated (6to4 relay anycast)',
  '192.88.99.2/32': '6a44 relay anycast address',
  '192.168.0.0/16': 'private use',
  '192.175.48.0/24': 'direct delegation AS112 service',
  '198.18.0.0/15': 'benchmarking',
  '198.51.100.0/24': 'documentation (TEST-NET-2)',
  '203.0.113.0/24': 'documentation (TEST-NET-3)',
  '224.0.0.0/4': 'multicast',
  '240.0.0.0/4': 'reserved',
  '255.255.255.255/32': 'limited broadcast',
  '::1/128': 'loopback',
  '::/128': 'unspecified',
  '64:ff9b::/96': 'IPv4-IPv6 translation',
  '64:ff9b:1::/48': 'IPv4-IPv6 translation',
  '100::/64': 'discard only',
  '100:0:0:1::/64': 'dummy IPv6 prefix',
  '2001::/23': 'IETF protocol assignments',
  '2001::/32': 'Teredo',
  '2001:1::1/128': 'port control protocol anycast',
  '2001:1::2/128': 'TURN anycast',
  '2001:1::3/128': 'DNS-SD service registration anycast',
  '2001:2::/48': 'benchmarking',
  '2001:3::/32': 'AMT',
  '2001:4:112::/48': 'AS112-v6',
  '2001:10::/28': 'deprecated (ORCHID)',
  '2001:20::/28': 'ORCHIDv2',
  '2001:30::/28': 'drone remote id',
  '2001:db8::/32': 'documentation',
  '2002::/16': '6to4',
  '2620:4f:8000::/48': 'direct delegation AS112 service',
  '3fff::/20': 'documentation',
  '5f00::/16': 'segment routing',
  'fc00::/7': 'unique local',
  'fe80::/10': 'link local',
  'fec0::/10': 'deprecated (site local)',
  'ff00::/8': 'multicast',
} as const;

const addressOf = (text: string) => {
  const address = parseIpAddress(text);
  if (address === null) throw new Error(`${text} is no address`);
  return address;
};

const networkOf = (text: string): AllowedNetwork => {
  const network = parseAllowedNetwork(text);
  if (!network.ok) throw new Error(`${text} ${network.problem}`);
  return network.value;
};

const lastOf = ({ network: { family, value }, prefixLength }: AllowedNetwork): bigint =>
  value + (1n << BigInt(bitsOf[family] - prefixLength)) - 1n;

const encrypted = { isEncrypted: true, port: 443 };

describe('an address to which webhooks are sent', () => {
  it.each(Object.entries(specialBlocks))('is in no special-purpose block: %s (%s)', (text) => {
    const block = networkOf(text);
    const { family, value } = block.network;
    for (const one of [value, lastOf(block), (value + lastOf(block)) / 2n]) {
      expect(isPublicAddress({ family, value: one }), formatIpAddress({ family, value: one })).toBe(false);
    }
  });

  it.each([
    ['169.254.169.254', 'the metadata of most clouds'],
    ['fd00:ec2::254', 'the metadata of AWS'],
    ['fd20:ce::254', 'the metadata of Google Cloud'],
    ['100.100.100.200', 'the metadata of Alibaba Cloud'],
    ['192.0.0.192', 'the metadata of Oracle Cloud'],
    ['168.63.129.16', 'the services of Azure for its machines'],
    ['::ffff:127.0.0.1', 'IPv4-mapped'],
    ['::ffff:a9fe:a9fe', 'IPv4-mapped'],
    ['::127.0.0.1', 'IPv4-compatible'],
    ['::ffff:0:127.0.0.1', 'IPv4-translated'],
    ['64:ff9b::a9fe:a9fe', 'NAT64 of 169.254.169.254'],
    ['2002:7f00:1::', '6to4 of 127.0.0.1'],
    ['2606:4700::5efe:127.0.0.1', 'ISATAP of 127.0.0.1'],
    ['2606:4700::200:5efe:169.254.169.254', 'ISATAP of 169.254.169.254, as an identifier that is globally unique'],
    ['4000::1', 'IPv6 that no registry has assigned'],
  ])('is not %s, %s', (text) => {
    expect(isPublicAddress(addressOf(text))).toBe(false);
  });

  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '93.184.215.14',
    '172.15.255.255',
    '172.32.0.0',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2a00:1450:4001::1',
    '2001:200::1',
    '2001:db7::1',
    // Not ISATAP: one bit of the interface identifier differs.
    '2606:4700::100:5efe:7f00:1',
    '2606:4700::5eff:7f00:1',
    '2606:4700::5efe:0:7f00:1',
  ])('may be %s, which is public', (text) => {
    expect(isPublicAddress(addressOf(text))).toBe(true);
  });

  it('is what ipaddr.js calls unicast, in the allocated ranges', () => {
    const edges = Object.keys(specialBlocks).flatMap((text) => {
      const block = networkOf(text);
      const { family, value } = block.network;
      const end = (1n << BigInt(bitsOf[family])) - 1n;
      return [value - 1n, value, lastOf(block), lastOf(block) + 1n]
        .filter((one) => one >= 0n && one <= end)
        .map((one): IpAddress => ({ family, value: one }));
    });
    const ipv4 = fc.bigInt(0n, 0xffff_ffffn).map((value): IpAddress => ({ family: 4, value }));
    const allocated = fc.bigInt(0x2n << 124n, (0x4n << 124n) - 1n).map((value): IpAddress => ({ family: 6, value }));
    const agree = (address: IpAddress) => {
      const text = formatIpAddress(address);
      // Unassigned IPv6, and the one special address that no registry has.
      const isKnown = (address.family === 4 || address.value >> 125n === 1n) && text !== '168.63.129.16';
      const expected = isKnown && ipaddr.parse(text).range() === 'unicast';
      expect(isPublicAddress(address), text).toBe(expected);
    };
    for (const address of edges) agree(address);
    fc.assert(fc.property(fc.oneof(ipv4, allocated), agree), { numRuns: 300 });
  });
});

describe('a connection for a webhook', () => {
  const networks = ['10.1.0.0/16', 'fd00:1::/32', '127.0.0.1'].map(networkOf);

  it('to a public address is encrypted, at port 443 or above 1023', () => {
    const address = addressOf('1.1.1.1');
    for (const allowed of [[], networks]) {
      for (const port of [443, 1024, 8443, 65_535]) {
        expect(receiverProblem({ isEncrypted: true, port }, address, allowed)).toBeNull();
        expect(receiverProblem({ isEncrypted: false, port }, address, allowed)).toBe('http');
      }
      for (const port of [1, 22, 25, 80, 442, 1023]) {
        expect(receiverProblem({ isEncrypted: true, port }, address, allowed)).toBe('port');
      }
    }
  });

  it.each(['10.1.2.3', 'fd00:1::7', '127.0.0.1', '::ffff:10.1.2.3'])(
    'to %s of an allowed network may be any',
    (text) => {
      for (const isEncrypted of [true, false]) {
        for (const port of [22, 80, 443, 3000]) {
          expect(receiverProblem({ isEncrypted, port }, addressOf(text), networks)).toBeNull();
        }
      }
      expect(receiverProblem(encrypted, addressOf(text), [])).toBe('address');
    },
  );

  it.each(['10.2.0.1', '127.0.0.2', '169.254.169.254', 'fd00:2::1', '::1'])(
    'to %s beside the allowed networks is rejected',
    (text) => {
      expect(receiverProblem(encrypted, addressOf(text), networks)).toBe('address');
    },
  );
});

test('an allowed network is an address or a range, and no host name', () => {
  expect(networkOf('10.0.0.0/8')).toEqual({ kind: 'network', network: addressOf('10.0.0.0'), prefixLength: 8 });
  expect(networkOf('::1')).toEqual({ kind: 'network', network: addressOf('::1'), prefixLength: 128 });
  expect(parseAllowedNetwork('internal.example')).toEqual({
    ok: false,
    problem: 'must be an IP address or a CIDR range, such as 10.0.0.0/8',
  });
  expect(parseAllowedNetwork('10.0.0.1/8').ok).toBe(false);
});
