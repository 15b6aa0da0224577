/** The dashboard's replacements of Node's functions return the same results. */
import { isIPv4, isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as shims from '../../src/dashboard/node-shims.ts';
import { parseAllowedSource } from '../../src/domain/source/allowed-source.ts';

const octet = fc.oneof(fc.nat(300).map(String), fc.constantFrom('', '00', '01', '1e1', '0x1', '256', ' 1'));
const dotted = fc.array(octet, { minLength: 3, maxLength: 5 }).map((octets) => octets.join('.'));
const group = fc.oneof(
  fc.nat(0xfffff).map((value) => value.toString(16)),
  fc.constantFrom('', '0000', '00000', 'g'),
);
const colons = fc
  .tuple(fc.array(group, { maxLength: 9 }), fc.option(dotted), fc.constantFrom(':', '::'))
  .map(([groups, tail, joint]) => [...groups, ...(tail === null ? [] : [tail])].join(':').replace(':', joint));
const known = fc.constantFrom(
  ...':: ::1 1:: ::ffff:1.2.3.4 64:ff9b::1.2.3.4 1:2:3:4:5:6:7:8 1::2::3 : ::1.2.3 ::1.2.3.4:5 1.2.3.4::'.split(' '),
  ...'fe80::1%eth0 [::1] ::1] 1:2:3:4:5:6:7:: ::2:3:4:5:6:7:8 1:2:3:4:5:6:7:8:9'.split(' '),
);

it('accepts exactly the addresses that Node accepts', () => {
  fc.assert(
    fc.property(fc.oneof(dotted, colons, known, fc.string()), (text) => {
      // The domain rejects zones before it asks.
      fc.pre(!text.includes('%'));
      expect([text, shims.isIPv4(text), shims.isIPv6(text)]).toEqual([text, isIPv4(text), isIPv6(text)]);
    }),
    { numRuns: 20_000 },
  );
});

it('a source is rejected with the same message in the browser and on the server', () => {
  const names =
    'bücher.example|ｅｘａｍｐｌｅ.com|\u212a.com|日本.jp|a_b.example|xn--a.example|０１０.0.0.1|ß.de|a b|a/b';
  for (const name of names.split('|')) {
    const problem = parseAllowedSource(name);
    if (problem.ok || !problem.problem.startsWith('must be written in ASCII')) continue;
    expect([name, shims.domainToASCII(name.toLowerCase())]).toEqual([name, domainToASCII(name.toLowerCase())]);
  }
  expect(shims.domainToASCII('bücher.example')).toBe('xn--bcher-kva.example');
});
