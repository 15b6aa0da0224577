// SECURITY.md: Bytes from outside
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatAllowedSource, parseAllowedSource, parseNewSource } from '../../../src/domain/source/allowed-source.ts';
import { bitsOf, formatIpAddress, type IpAddress, parseIpAddress } from '../../../src/domain/source/ip-address.ts';

const host = (host: string) => ({ ok: true, value: { kind: 'host', host } });
const network = (family: 4 | 6, value: bigint, prefixLength: number) => ({
  ok: true,
  value: { kind: 'network', network: { family, value }, prefixLength },
});
const rejection = (problem: string) => ({ ok: false, problem });

const notHost =
  'must be an IP address, a CIDR range or a host name: labels of letters, digits and inner hyphens, 1 to 63 each';
const longestHost = `${`${'a'.repeat(62)}.`.repeat(4)}a`;
const start = '10.0.0.1 # ';

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
  [`${'a'.repeat(63)}.com`, host(`${'a'.repeat(63)}.com`)],
  [longestHost, host(longestHost)],
  [`${longestHost}.`, host(longestHost)],
])('%s is allowed, and means what it says', (entry, expected) => {
  const parsed = parseAllowedSource(entry);
  expect(parsed).toEqual(expected);
  if (parsed.ok) expect(parseAllowedSource(formatAllowedSource(parsed.value))).toEqual(parsed);
});

test.each([
  ['10.0.0.0/8 # office', network(4, 0x0a00_0000n, 8)],
  ['10.0.0.0/8#office', network(4, 0x0a00_0000n, 8)],
  ['  example.com   # a/b%c # *.d ünï 😀', host('example.com')],
  [start.padEnd(255, 'x'), network(4, 0x0a00_0001n, 32)],
  [start + '😀'.repeat(255 - start.length), network(4, 0x0a00_0001n, 32)],
])('what follows a # is a comment: %s', (entry, expected) => {
  expect(parseAllowedSource(entry)).toEqual(expected);
});

test.each<[problem: string, ...entries: string[]]>([
  ['must be an IP address, a CIDR range or a host name', '', '   ', '# only'],
  ['must have no zone id: it means something on one machine only', 'fe80::1%eth0', 'fe80::%eth0/64'],
  [
    'is not a valid IPv4 address: four numbers from 0 to 255, without leading zeros',
    // Some parsers read the first one as 8.0.0.1.
    ...['010.0.0.1', '1.2.3', '2130706433', '1.2.3.256', '0x7f.1', '0x7f000001', '127.0.0.0x1', '1.2.3.4.'],
  ],
  ['must have no port', '1.2.3.4:5678', 'example.com:443'],
  ['is not a valid IPv6 address', 'example.com:80x', '[::1]', '[::1]:80', '1::2::3'],
  [
    'must be an address and a prefix length, such as 10.0.0.0/8 or 2001:db8::/32, without leading zeros',
    ...['10.0.0.0/08', '10.0.0.0/+8', '10.0.0.0/', '10.0.0.0/255.0.0.0', '10.0.0.0/8/8', '10.0.0.0 /8'],
    ...['010.0.0.0/8', 'example.com/24', 'https://example.com'],
  ],
  ['must have a prefix length of at most 32', '10.0.0.0/33'],
  ['must have a prefix length of at most 128', '::/129'],
  ['must have a prefix length of at least 96 for an IPv4-mapped address', '::ffff:0:0/95'],
  ['must have no bits set behind the prefix: the network is 10.0.0.0/8', '10.0.0.1/8', '::ffff:10.0.0.1/104'],
  ['must have no bits set behind the prefix: the network is 2001:db8::/64', '2001:db8::1/64'],
  ['must be a full host name: wildcards are not understood', '*.x'],
  [
    notHost,
    ...['-a.com', 'a-.com', 'a_b.com', 'a..com', 'example.com..', '.', 'exa mple.com', '1.2.3.4, 5.6.7.8'],
    // A full-width 010.0.0.1, which domainToASCII reads as 8.0.0.1, and names that would be rejected in ASCII too.
    ...['０１０.0.0.1', 'ü_x.de', 'ü ü', `${'a'.repeat(64)}.com`, `${longestHost}a`],
  ],
  // Lower-casing turns U+212A, which looks like K, into an ASCII letter.
  ['must be written in ASCII: k8s.example', '\u212a8s.example'],
  ['must be written in ASCII: xn--mnchen-3ya.de', 'münchen.de', 'MÜNCHEN.de.'],
  ['must have no control characters', ...['10.0.0.1\t', '10.0.0.1 # \0', '10.0.0.1 # \ud800', '10.0.0.1 # \u202e']],
  // The limit counts characters: an emoji is one.
  ['must have at most 255 characters', start.padEnd(256, 'x'), start + '😀'.repeat(256 - start.length)],
])('%s', (problem, ...entries) => {
  for (const entry of entries) expect(parseAllowedSource(entry), entry).toEqual(rejection(problem));
});

test('a new list has no names that only /etc/hosts knows, and an old one may have them', () => {
  const problem =
    'must be a name that DNS servers know: /etc/hosts is not read, so write the addresses, such as 127.0.0.1 and ::1';
  const names = [
    'localhost',
    'LOCALHOST.',
    'db.localhost # my own',
    'localhost.localdomain',
    'localhost6.localdomain6',
  ];
  for (const name of [...names, 'ip6-localhost', 'ip6-loopback', 'broadcasthost']) {
    expect(parseNewSource(name), name).toEqual(rejection(problem));
    expect(parseAllowedSource(name).ok, name).toBe(true);
  }
  // Some DNS servers know names without a dot, such as those of containers.
  for (const name of ['db', 'localhost.example.com', 'mylocalhost', 'ip6.example', '127.0.0.1', '::1']) {
    expect(parseNewSource(name), name).toEqual(parseAllowedSource(name));
  }
});

const ipv4 = fc.bigInt({ min: 0n, max: 2n ** 32n - 1n }).map((value): IpAddress => ({ family: 4, value }));
const ipv6 = fc
  .bigInt({ min: 0n, max: 2n ** 128n - 1n })
  .filter((value) => value >> 32n !== 0xffffn)
  .map((value): IpAddress => ({ family: 6, value }));
/** An address, and how many of its bits are the network's. */
const subnet = fc
  .oneof(ipv4, ipv6)
  .chain((address) => fc.record({ address: fc.constant(address), length: fc.nat(bitsOf[address.family]) }));
/** The network by its text of bits, not by shifts. */
function networkOf({ family, value }: IpAddress, length: number): IpAddress {
  const bits = value.toString(2).padStart(bitsOf[family], '0').slice(0, length).padEnd(bitsOf[family], '0');
  return { family, value: BigInt(`0b${bits}`) };
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

test('every CIDR range is accepted without a host bit, and otherwise rejected with the network that was probably meant', () => {
  fc.assert(
    fc.property(subnet, ({ address, length }) => {
      const meant = networkOf(address, length);
      const range = `${formatIpAddress(meant)}/${length}`;
      expect(parseAllowedSource(range)).toEqual(network(meant.family, meant.value, length));
      fc.pre(meant.value !== address.value);
      expect(parseAllowedSource(`${formatIpAddress(address)}/${length}`)).toEqual(
        rejection(`must have no bits set behind the prefix: the network is ${range}`),
      );
    }),
    { numRuns: 1000 },
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
