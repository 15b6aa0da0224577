import { BlockList } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type AllowedSource,
  formatAllowedSource,
  parseAllowedSource,
} from '../../../src/domain/source/allowed-source.ts';
import { bitsOf, formatIpAddress, type IpAddress, parseIpAddress } from '../../../src/domain/source/ip-address.ts';

const host = (host: string) => ({ ok: true, value: { kind: 'host', host } });
const network = (family: 4 | 6, value: bigint, prefixLength: number) => ({
  ok: true,
  value: { kind: 'network', network: { family, value }, prefixLength },
});
const rejection = (problem: string) => ({ ok: false, problem });

const notIpv4 = rejection('is not a valid IPv4 address: four numbers from 0 to 255, without leading zeros');
const notIpv6 = rejection('is not a valid IPv6 address');
const notRange = rejection(
  'must be an address and a prefix length, such as 10.0.0.0/8 or 2001:db8::/32, without leading zeros',
);
const notSource = rejection('must be an IP address, a CIDR range or a host name');
const notHost = rejection(
  'must be an IP address, a CIDR range or a host name: labels of letters, digits and inner hyphens, 1 to 63 each',
);
const zone = rejection('must have no zone id: it means something on one machine only');
const wildcard = rejection('must be a full host name: wildcards are not understood');
const controls = rejection('must have no control characters');
const tooLong = rejection('must have at most 255 characters');

test.each([
  ['10.0.0.1', network(4, 0x0a00_0001n, 32)],
  ['2001:db8::1', network(6, (0x2001_0db8n << 96n) | 1n, 128)],
  ['10.0.0.0/8', network(4, 0x0a00_0000n, 8)],
  ['10.0.0.1/32', network(4, 0x0a00_0001n, 32)],
  ['2001:db8::/32', network(6, 0x2001_0db8n << 96n, 32)],
  ['0.0.0.0/0', network(4, 0n, 0)],
  ['::/0', network(6, 0n, 0)],
  ['::ffff:1.2.3.4', network(4, 0x0102_0304n, 32)],
  ['::ffff:10.0.0.0/104', network(4, 0x0a00_0000n, 8)],
  ['::ffff:0:0/96', network(4, 0n, 0)],
  ['example.com', host('example.com')],
  ['example.com.', host('example.com')],
  ['API.Example.COM', host('api.example.com')],
  ['localhost', host('localhost')],
  ['1a.example', host('1a.example')],
  ['example.1a', host('example.1a')],
  ['example.a1', host('example.a1')],
  ['xn--mnchen-3ya.de', host('xn--mnchen-3ya.de')],
])('%s is allowed, and means what it says', (entry, expected) => {
  const parsed = parseAllowedSource(entry);
  expect(parsed).toEqual(expected);
  if (parsed.ok) expect(parseAllowedSource(formatAllowedSource(parsed.value))).toEqual(parsed);
});

test.each([
  ['10.0.0.0/8 # office', network(4, 0x0a00_0000n, 8)],
  ['10.0.0.0/8#office', network(4, 0x0a00_0000n, 8)],
  ['  example.com   # a/b%c # *.d ünï 😀', host('example.com')],
])('what follows a # is a comment: %s', (entry, expected) => {
  expect(parseAllowedSource(entry)).toEqual(expected);
});

test.each([
  ['nothing', '', notSource],
  ['white space', '   ', notSource],
  ['a comment alone', '# only', notSource],
  ['a zone', 'fe80::1%eth0', zone],
  ['a zone in a range', 'fe80::%eth0/64', zone],
  ['a leading zero, 8.0.0.1 to some parsers', '010.0.0.1', notIpv4],
  ['three numbers', '1.2.3', notIpv4],
  ['one number', '2130706433', notIpv4],
  ['a number above 255', '1.2.3.256', notIpv4],
  ['a hexadecimal number', '0x7f.1', notIpv4],
  ['one hexadecimal number', '0x7f000001', notIpv4],
  ['a hexadecimal number at the end', '127.0.0.0x1', notIpv4],
  ['an address with a dot behind', '1.2.3.4.', notIpv4],
  ['a port', '1.2.3.4:5678', { ok: false, problem: 'must have no port' }],
  ['a port of a host', 'example.com:443', { ok: false, problem: 'must have no port' }],
  ['a port that is no number', 'example.com:80x', notIpv6],
  ['brackets', '[::1]', notIpv6],
  ['brackets and a port', '[::1]:80', notIpv6],
  ['two gaps', '1::2::3', notIpv6],
  ['a prefix length with a leading zero', '10.0.0.0/08', notRange],
  ['a prefix length with a sign', '10.0.0.0/+8', notRange],
  ['no prefix length', '10.0.0.0/', notRange],
  ['a netmask', '10.0.0.0/255.0.0.0', notRange],
  ['two prefix lengths', '10.0.0.0/8/8', notRange],
  ['a space before the prefix length', '10.0.0.0 /8', notRange],
  ['a leading zero in a range', '010.0.0.0/8', notRange],
  ['a host name with a prefix length', 'example.com/24', notRange],
  ['a URL', 'https://example.com', notRange],
  ['a prefix longer than IPv4', '10.0.0.0/33', rejection('must have a prefix length of at most 32')],
  ['a prefix longer than IPv6', '::/129', rejection('must have a prefix length of at most 128')],
  [
    'a mapped range that reaches beyond IPv4',
    '::ffff:0:0/95',
    rejection('must have a prefix length of at least 96 for an IPv4-mapped address'),
  ],
  ['a host bit', '10.0.0.1/8', rejection('must have no bits set behind the prefix: the network is 10.0.0.0/8')],
  [
    'a host bit in IPv6',
    '2001:db8::1/64',
    rejection('must have no bits set behind the prefix: the network is 2001:db8::/64'),
  ],
  [
    'a host bit in a mapped range',
    '::ffff:10.0.0.1/104',
    rejection('must have no bits set behind the prefix: the network is 10.0.0.0/8'),
  ],
  ['a wildcard', '*.x', wildcard],
  ['a hyphen first', '-a.com', notHost],
  ['a hyphen last', 'a-.com', notHost],
  ['an underscore', 'a_b.com', notHost],
  ['an empty label', 'a..com', notHost],
  ['two dots behind', 'example.com..', notHost],
  ['a dot alone', '.', notHost],
  ['an inner space', 'exa mple.com', notHost],
  ['two addresses', '1.2.3.4, 5.6.7.8', notHost],
  ['a tab', '10.0.0.1\t', controls],
  ['a NUL in the comment', '10.0.0.1 # \0', controls],
  ['a lone surrogate in the comment', '10.0.0.1 # \ud800', controls],
  ['a right-to-left override in the comment', '10.0.0.1 # \u202e', controls],
])('%s is rejected', (_, entry, expected) => {
  expect(parseAllowedSource(entry)).toEqual(expected);
});

test('a name outside ASCII is rejected with the name to write instead', () => {
  expect(parseAllowedSource('münchen.de')).toEqual(rejection('must be written in ASCII: xn--mnchen-3ya.de'));
  expect(parseAllowedSource('MÜNCHEN.de.')).toEqual(rejection('must be written in ASCII: xn--mnchen-3ya.de'));
});

test('a letter that only becomes ASCII in lower case is rejected too: U+212A looks like K', () => {
  expect(parseAllowedSource('\u212a8s.example')).toEqual(rejection('must be written in ASCII: k8s.example'));
});

test('nothing is suggested that would be rejected, least of all 8.0.0.1 for 010.0.0.1 in full-width digits', () => {
  expect(parseAllowedSource('０１０.0.0.1')).toEqual(notHost);
  expect(parseAllowedSource('ü_x.de')).toEqual(notHost);
  expect(parseAllowedSource('ü ü')).toEqual(notHost);
});

test('an entry has at most 255 characters, its comment included', () => {
  const start = '10.0.0.1 # ';
  expect(parseAllowedSource(start.padEnd(255, 'x'))).toEqual(network(4, 0x0a00_0001n, 32));
  expect(parseAllowedSource(start.padEnd(256, 'x'))).toEqual(tooLong);
});

test('the limit counts characters, as that of names does: an emoji is one', () => {
  const start = '10.0.0.1 # ';
  expect(parseAllowedSource(start + '😀'.repeat(255 - start.length))).toEqual(network(4, 0x0a00_0001n, 32));
  expect(parseAllowedSource(start + '😀'.repeat(256 - start.length))).toEqual(tooLong);
});

test('a label has at most 63 characters and a name 253', () => {
  expect(parseAllowedSource(`${'a'.repeat(63)}.com`)).toEqual(host(`${'a'.repeat(63)}.com`));
  expect(parseAllowedSource(`${'a'.repeat(64)}.com`)).toEqual(notHost);
  const longest = `${`${'a'.repeat(62)}.`.repeat(4)}a`;
  expect(longest).toHaveLength(253);
  expect(parseAllowedSource(longest)).toEqual(host(longest));
  expect(parseAllowedSource(`${longest}.`)).toEqual(host(longest));
  expect(parseAllowedSource(`${longest}a`)).toEqual(notHost);
});

const ipv4 = fc.bigInt({ min: 0n, max: 2n ** 32n - 1n }).map((value): IpAddress => ({ family: 4, value }));
const ipv6 = fc
  .bigInt({ min: 0n, max: 2n ** 128n - 1n })
  .filter((value) => value >> 32n !== 0xffffn)
  .map((value): IpAddress => ({ family: 6, value }));
/** An address, how many of its bits are the network's, and one bit to change. */
const subnet = fc
  .oneof(ipv4, ipv6)
  .chain((address) =>
    fc.record({ address: fc.constant(address), length: fc.nat(bitsOf[address.family]), flip: fc.nat(127) }),
  );
/** The network by its text of bits, not by shifts. */
function networkOf({ family, value }: IpAddress, length: number): IpAddress {
  const bits = value.toString(2).padStart(bitsOf[family], '0').slice(0, length).padEnd(bitsOf[family], '0');
  return { family, value: BigInt(`0b${bits}`) };
}
function contains({ network, prefixLength }: AllowedSource & { kind: 'network' }, address: IpAddress): boolean {
  const hostBits = BigInt(bitsOf[network.family] - prefixLength);
  return address.family === network.family && address.value >> hostBits === network.value >> hostBits;
}

test('every IPv4 and IPv6 address is accepted, as a network of one', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
      const address = parseIpAddress(text);
      const prefixLength = address?.family === 4 ? 32 : 128;
      expect(parseAllowedSource(text)).toEqual({
        ok: true,
        value: { kind: 'network', network: address, prefixLength },
      });
    }),
    { numRuns: 500 },
  );
});

test('every CIDR range without a host bit is accepted, and contains what Node says it contains', () => {
  fc.assert(
    fc.property(subnet, ({ address, length, flip }) => {
      const { family, value } = networkOf(address, length);
      const parsed = parseAllowedSource(`${formatIpAddress({ family, value })}/${length}`);
      expect(parsed).toEqual(network(family, value, length));
      if (!parsed.ok || parsed.value.kind !== 'network') return;
      const type = family === 4 ? 'ipv4' : 'ipv6';
      const list = new BlockList();
      list.addSubnet(formatIpAddress({ family, value }), length, type);
      const other: IpAddress = { family, value: address.value ^ (1n << BigInt(flip % bitsOf[family])) };
      for (const probe of [address, other])
        expect(contains(parsed.value, probe)).toBe(list.check(formatIpAddress(probe), type));
    }),
    { numRuns: 1000 },
  );
});

test('every CIDR range with a host bit is rejected with the network that was probably meant', () => {
  fc.assert(
    fc.property(subnet, ({ address, length }) => {
      const meant = networkOf(address, length);
      fc.pre(meant.value !== address.value);
      const suggestion = `${formatIpAddress(meant)}/${length}`;
      expect(parseAllowedSource(`${formatIpAddress(address)}/${length}`)).toEqual(
        rejection(`must have no bits set behind the prefix: the network is ${suggestion}`),
      );
      expect(parseAllowedSource(suggestion)).toEqual(network(meant.family, meant.value, length));
    }),
    { numRuns: 500 },
  );
});

test('every host name is accepted, in lower case', () => {
  fc.assert(
    fc.property(fc.domain(), (name) => {
      expect(parseAllowedSource(name)).toEqual(host(name.toLowerCase()));
    }),
  );
});

test('arbitrary text never throws, and what is accepted is a network or a plain ASCII name', () => {
  const utf16 = fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units));
  const almost = fc.stringMatching(/^[0-9a-fx:.%*/#ü -]{0,20}$/);
  fc.assert(
    fc.property(fc.oneof(utf16, fc.string({ unit: 'binary' }), almost), (text) => {
      const parsed = parseAllowedSource(text);
      if (parsed.ok && parsed.value.kind === 'host') expect(parsed.value.host).toMatch(/^[a-z0-9][a-z0-9.-]*$/);
      if (parsed.ok && parsed.value.kind === 'network')
        expect(networkOf(parsed.value.network, parsed.value.prefixLength)).toEqual(parsed.value.network);
      if (!parsed.ok) expect(parsed.problem).toMatch(/^(must|is not) /);
    }),
    { numRuns: 1000 },
  );
});
