import { isIP } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatIpAddress, parseIpAddress } from '../../../src/domain/source/ip-address.ts';

const utf16 = fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units));
const byte = fc.nat(255);
const group = fc.nat(0xffff);
const groups = fc.tuple(group, group, group, group, group, group, group, group);
const numberOf = (groups: readonly number[]) =>
  BigInt(`0x${groups.map((group) => group.toString(16).padStart(4, '0')).join('')}`);
const isMapped = (groups: readonly number[]) =>
  groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;

test('an address is the number that its bits are', () => {
  expect(parseIpAddress('10.0.0.1')).toEqual({ family: 4, value: 0x0a00_0001n });
  expect(parseIpAddress('255.255.255.255')).toEqual({ family: 4, value: 0xffff_ffffn });
  expect(parseIpAddress('0.0.0.0')).toEqual({ family: 4, value: 0n });
  expect(parseIpAddress('2001:db8::1')).toEqual({ family: 6, value: 0x2001_0db8_0000_0000_0000_0000_0000_0001n });
  expect(parseIpAddress('::')).toEqual({ family: 6, value: 0n });
  expect(parseIpAddress('1::')).toEqual({ family: 6, value: 1n << 112n });
  expect(parseIpAddress('2001:DB8:0:0:0:0:0:A')).toEqual(parseIpAddress('2001:db8::a'));
});

test('an IPv4-mapped address is the IPv4 address it carries, in every spelling', () => {
  const expected = { family: 4, value: 0x0102_0304n };
  const texts = ['::ffff:1.2.3.4', '::FFFF:1.2.3.4', '::ffff:102:304', '0:0:0:0:0:ffff:1.2.3.4', '0::ffff:0102:0304'];
  for (const text of texts) expect(parseIpAddress(text), text).toEqual(expected);
});

test('other addresses that hold an IPv4 address stay IPv6: they reach another machine', () => {
  expect(parseIpAddress('::1.2.3.4')).toEqual({ family: 6, value: 0x0102_0304n });
  expect(parseIpAddress('64:ff9b::1.2.3.4')).toEqual({ family: 6, value: (0x64_ff9bn << 96n) | 0x0102_0304n });
  expect(parseIpAddress('::fffe:1.2.3.4')).toEqual({ family: 6, value: 0xfffe_0102_0304n });
  expect(parseIpAddress('::1:ffff:102:304')).toEqual({ family: 6, value: 0x1_ffff_0102_0304n });
});

test.each([
  // A leading zero, because parsers disagree on its meaning; a zone, because it means something on one machine only.
  ...['010.0.0.1', '::ffff:010.0.0.1', 'fe80::1%eth0', '1.2.3', '1.2.3.', '1.2.3.4.5', '1..2.3', '1.2.3.a'],
  ...['2130706433', '0x7f.0.0.1', '1.2.3.256', '1.2.3.4:5678', '[::1]', '10.0.0.0/8', '1::2::3'],
  ...['1:2:3:4:5:6:7:8:9', '::12345', ' 1.2.3.4', '1.2.3.4\n', '１.2.3.4', ''],
])('%j is not an address', (text) => {
  expect(parseIpAddress(text)).toBeNull();
});

test('every IPv4 address is read and written back as it was', () => {
  fc.assert(
    fc.property(byte, byte, byte, byte, (a, b, c, d) => {
      const text = `${a}.${b}.${c}.${d}`;
      const address = { family: 4, value: BigInt(((a * 256 + b) * 256 + c) * 256 + d) } as const;
      expect(parseIpAddress(text)).toEqual(address);
      expect(formatIpAddress(address)).toBe(text);
      expect(parseIpAddress(`::ffff:${text}`)).toEqual(address);
    }),
  );
});

test('every spelling of an IPv6 address is the same number: in full, with a gap anywhere, with a dotted tail', () => {
  fc.assert(
    fc.property(groups, fc.nat(7), fc.nat(8), fc.boolean(), (groups, from, to, upper) => {
      const zeroed = groups.map((group, i) => (i >= from && i < to ? 0 : group));
      fc.pre(!isMapped(zeroed));
      const hex = zeroed.map((group) => group.toString(16));
      const dotted = zeroed.slice(6).flatMap((group) => [group >> 8, group & 255]);
      const spellings = [
        hex.join(':'),
        hex.map((group) => group.padStart(4, '0')).join(':'),
        `${hex.slice(0, 6).join(':')}:${dotted.join('.')}`,
        ...(to > from ? [`${hex.slice(0, from).join(':')}::${hex.slice(to).join(':')}`] : []),
      ];
      for (const spelling of spellings) {
        const text = upper ? spelling.toUpperCase() : spelling;
        expect(parseIpAddress(text), text).toEqual({ family: 6, value: numberOf(zeroed) });
      }
    }),
    { numRuns: 500 },
  );
});

test('an IPv6 address is written in the short form of RFC 5952, and read back as the same', () => {
  expect(formatIpAddress({ family: 6, value: 0n })).toBe('::');
  expect(formatIpAddress({ family: 6, value: 0x2001_0db8n << 96n })).toBe('2001:db8::');
  // Section 4.2.2: one group of zeros is not shortened; section 4.2.3: the longest run is, the first of equal ones.
  expect(formatIpAddress({ family: 6, value: numberOf([1, 0, 1, 1, 1, 1, 1, 1]) })).toBe('1:0:1:1:1:1:1:1');
  expect(formatIpAddress({ family: 6, value: numberOf([1, 0, 0, 1, 0, 0, 0, 1]) })).toBe('1:0:0:1::1');
  expect(formatIpAddress({ family: 6, value: numberOf([1, 0, 0, 1, 1, 0, 0, 1]) })).toBe('1::1:1:0:0:1');
  fc.assert(
    fc.property(groups, (groups) => {
      fc.pre(!isMapped(groups));
      const address = { family: 6, value: numberOf(groups) } as const;
      expect(parseIpAddress(formatIpAddress(address))).toEqual(address);
    }),
  );
});

test('exactly what Node takes for an address, zones aside, is one; arbitrary text never throws', () => {
  const almost = fc.stringMatching(/^[0-9a-f]{0,4}(::?[0-9a-f]{0,4}){0,8}(\.\d{1,3}){0,4}(%e)?$/);
  const zoned = fc.ipV6().map((text) => `${text}%eth0`);
  fc.assert(
    fc.property(fc.oneof(utf16, almost, fc.ipV4(), fc.ipV6(), fc.ipV4Extended(), zoned), (text) => {
      expect(parseIpAddress(text) !== null).toBe(isIP(text) !== 0 && !text.includes('%'));
    }),
    { numRuns: 1000 },
  );
});
