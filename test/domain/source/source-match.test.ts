import { BlockList } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AllowedSource, parseAllowedSource } from '../../../src/domain/source/allowed-source.ts';
import {
  bitsOf,
  formatIpAddress,
  type IpAddress,
  numberOf,
  parseIpAddress,
} from '../../../src/domain/source/ip-address.ts';
import { hostsOf, matchesLiterally, matchSource } from '../../../src/domain/source/source-match.ts';

function sources(...entries: readonly string[]): AllowedSource[] {
  return entries.map((entry) => {
    const parsed = parseAllowedSource(entry);
    if (!parsed.ok) throw new Error(`${entry} ${parsed.problem}`);
    return parsed.value;
  });
}

function ip(text: string): IpAddress {
  const address = parseIpAddress(text);
  if (address === null) throw new Error(`${text} is no address`);
  return address;
}

test.each([
  ['10.0.0.0/8', '10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
  ['192.0.2.7', '192.0.2.7', '192.0.2.7', '192.0.2.6', '192.0.2.8'],
  ['198.51.100.128/25', '198.51.100.128', '198.51.100.255', '198.51.100.127', '198.51.101.0'],
  ['2001:db8::/32', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db7:ffff::', '2001:db9::'],
  ['2001:db8::1', '2001:db8::1', '2001:db8::1', '2001:db8::', '2001:db8::2'],
])('%s matches from its first to its last address and not one more', (entry, first, last, before, after) => {
  const list = sources(entry);
  expect([first, last].map((text) => matchesLiterally(list, ip(text)))).toEqual([true, true]);
  expect([before, after].map((text) => matchesLiterally(list, ip(text)))).toEqual([false, false]);
});

test('a network matches its own family only, even when it is all of it', () => {
  expect(matchesLiterally(sources('::/0'), ip('192.0.2.1'))).toBe(false);
  expect(matchesLiterally(sources('0.0.0.0/0'), ip('2001:db8::1'))).toBe(false);
  expect(matchesLiterally(sources('0.0.0.0/0'), ip('::1'))).toBe(false);
  expect(matchesLiterally(sources('::c000:201'), ip('192.0.2.1'))).toBe(false);
  expect(matchesLiterally(sources('::/0'), ip('2001:db8::1'))).toBe(true);
  expect(matchesLiterally(sources('0.0.0.0/0'), ip('192.0.2.1'))).toBe(true);
});

test('an IPv4-mapped address is matched as the IPv4 address it carries, on either side', () => {
  expect(matchesLiterally(sources('192.0.2.0/24'), ip('::ffff:192.0.2.1'))).toBe(true);
  expect(matchesLiterally(sources('::ffff:192.0.2.0/120'), ip('192.0.2.1'))).toBe(true);
  expect(matchesLiterally(sources('::/0'), ip('::ffff:192.0.2.1'))).toBe(false);
});

test('one entry that matches is enough, wherever it stands, and no entry matches nothing', () => {
  expect(matchesLiterally(sources('a.example', '2001:db8::/32', '10.0.0.0/8', '192.0.2.1'), ip('10.1.2.3'))).toBe(true);
  expect(matchesLiterally(sources('a.example'), ip('10.1.2.3'))).toBe(false);
  expect(matchesLiterally([], ip('10.1.2.3'))).toBe(false);
});

const networks = fc
  .record({ family: fc.constantFrom(4 as const, 6 as const), bits: fc.bigInt(0n, 2n ** 128n - 1n), cut: fc.nat(128) })
  .map(({ family, bits, cut }) => {
    const prefixLength = Math.min(cut, bitsOf[family]);
    const hostBits = BigInt(bitsOf[family] - prefixLength);
    return { family, prefixLength, value: (BigInt.asUintN(bitsOf[family], bits) >> hostBits) << hostBits };
  })
  .map(({ family, prefixLength, value }) => ({ text: formatIpAddress({ family, value }), prefixLength }))
  // Node's list takes ::ffff:a.b.c.d for IPv4 as well; here it is folded before, which the test above is about.
  .filter(({ text }) => !text.startsWith('::ffff:'));

test('it agrees with a net.BlockList for each family on addresses near and far', () => {
  const cases = fc.array(networks, { maxLength: 6 }).chain((list) =>
    fc.record({
      list: fc.constant(list),
      near: fc.constantFrom(...list, undefined),
      flip: fc.nat(127),
      far: networks,
    }),
  );
  let matched = 0;
  fc.assert(
    fc.property(cases, ({ list, near, flip, far }) => {
      // One bit away from a network's first address: inside it or outside, depending on which bit.
      const start = ip((near ?? far).text);
      const address = { ...start, value: start.value ^ (1n << BigInt(flip % bitsOf[start.family])) };
      fc.pre(address.family === 4 || address.value >> 32n !== 0xffffn);
      const lists = { 4: new BlockList(), 6: new BlockList() };
      for (const { text, prefixLength } of list) {
        const { family } = ip(text);
        lists[family].addSubnet(text, prefixLength, `ipv${family}`);
      }
      const expected = lists[address.family].check(formatIpAddress(address), `ipv${address.family}`);
      const entries = sources(...list.map(({ text, prefixLength }) => `${text}/${prefixLength}`));
      expect(matchesLiterally(entries, address)).toBe(expected);
      if (expected) matched += 1;
    }),
    { numRuns: 1000 },
  );
  // With unrelated addresses only, agreement would mean little.
  expect(matched).toBeGreaterThan(100);
});

test('the host names are named once each, in the order written, without the networks', () => {
  expect(hostsOf(sources('b.example', '10.0.0.0/8', 'a.example # office', 'B.example.'))).toEqual([
    'b.example',
    'a.example',
  ]);
  expect(hostsOf(sources('10.0.0.0/8'))).toEqual([]);
});

const known: Readonly<Record<string, readonly string[]>> = {
  'gate.example': ['192.0.2.1', '2001:db8::1'],
  'other.example': ['192.0.2.2'],
  // The same number as 192.0.2.1, in the other family.
  'same-number.example': ['::c000:201'],
};

async function matchOf(allowedIps: readonly string[], source: string | undefined) {
  const asked: string[] = [];
  const result = await matchSource(allowedIps, source === undefined ? undefined : ip(source), async (host) => {
    asked.push(host);
    const addresses = new Set((known[host] ?? []).map((text) => numberOf(ip(text))));
    return { addresses, tooMany: host === 'many.example' };
  });
  return { ...result, asked };
}

test('without an allow-list the source can be unknown; with one, an unknown source is reported as such', async () => {
  for (const source of [undefined, '192.0.2.1']) {
    expect(await matchOf([], source)).toEqual({ kind: 'unrestricted', asked: [] });
  }
  expect(await matchOf(['gate.example'], undefined)).toEqual({ kind: 'unknown', asked: [] });
});

test('the first entry that allows a source is returned as it was written', async () => {
  const list = ['10.0.0.0/8 # first', '10.1.0.0/16', 'Gate.Example. # the gate', 'gate.example'];
  expect(await matchOf(list, '10.1.2.3')).toMatchObject({ kind: 'listed', entry: '10.0.0.0/8 # first' });
  for (const source of ['192.0.2.1', '2001:db8::1', '::ffff:192.0.2.1']) {
    expect(await matchOf(list, source)).toMatchObject({ kind: 'listed', entry: 'Gate.Example. # the gate' });
  }
});

test('a host name matches the addresses of one family by those of the same', async () => {
  expect(await matchOf(['same-number.example'], '192.0.2.1')).toMatchObject({ kind: 'unlisted' });
});

test('host names are resolved where nothing matches literally, each once, and only then', async () => {
  const list = ['gate.example', 'GATE.example', 'other.example', 'gone.example', 'many.example', '192.0.2.9'];
  expect((await matchOf(list, '192.0.2.9')).asked).toEqual([]);
  expect(await matchOf(list, '203.0.113.1')).toEqual({
    kind: 'unlisted',
    address: '203.0.113.1',
    hosts: [
      { host: 'gate.example', found: 'others' },
      { host: 'other.example', found: 'others' },
      { host: 'gone.example', found: 'none' },
      { host: 'many.example', found: 'too many' },
    ],
    asked: ['gate.example', 'other.example', 'gone.example', 'many.example'],
  });
});

test('an invalid stored entry allows no source, and the key stays restricted', async () => {
  expect(await matchOf(['*', 'not valid either!'], '192.0.2.1')).toMatchObject({ kind: 'unlisted', hosts: [] });
});
