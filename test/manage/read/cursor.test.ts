import fc from 'fast-check';
import { expect, test } from 'vitest';
import { limits } from '../../../src/domain/limits.ts';
import { parseLine, searchable } from '../../../src/domain/text.ts';
import { decodeCursor, encodeCursor } from '../../../src/manage/read/page.ts';

const raw = (json: string) => Buffer.from(json).toString('base64url');
const utf16 = fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units));
// JSON has no negative zero.
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value));
const value = fc.oneof(utf16, fc.string(), number, fc.integer(), fc.constant(null));

test('a cursor gives back the values it was made of', () => {
  fc.assert(
    fc.property(fc.array(value, { maxLength: 6 }), (values) => {
      expect(decodeCursor(encodeCursor(values))).toEqual(values);
    }),
  );
});

test('a cursor needs no escaping in a URL', () => {
  fc.assert(
    fc.property(fc.array(value), (values) => {
      expect(encodeCursor(values)).toMatch(/^[\w-]+$/);
    }),
  );
});

test('a page may end with any name: the cursor of a key ordered by name is never too long to read', () => {
  const position = (name: string) => ['NAME', `${searchable(name)}\n${'x'.repeat(30)}`, 'i'.repeat(36)];
  // ﷺ becomes 18 characters when compatibility forms are made equal: no character grows more.
  const longest = position('\ufdfa'.repeat(limits.nameCharacters));
  expect(decodeCursor(encodeCursor(longest))).toEqual(longest);
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 90, maxLength: 100 }), (name) => {
      fc.pre(parseLine(name, limits.nameCharacters).ok);
      expect(decodeCursor(encodeCursor(position(name)))).toEqual(position(name));
    }),
  );
});

test('arbitrary text never throws, and never gives more than texts, numbers and nulls', () => {
  fc.assert(
    fc.property(fc.oneof(utf16, fc.stringMatching(/^[\w-]*$/), fc.json().map(raw)), (text) => {
      for (const value of decodeCursor(text) ?? [])
        expect(value === null ? 'null' : typeof value).toMatch(/^(null|string|number)$/);
    }),
  );
});

test('only a list of strings, numbers and nulls is a cursor', () => {
  for (const json of ['{}', 'null', '"NAME"', '1', '[true]', '[{}]', '[["NAME"]]', '[1', '', '[1]]'])
    expect(decodeCursor(raw(json)), json).toBeNull();
  expect(decodeCursor(raw('["NAME",1,null]'))).toEqual(['NAME', 1, null]);
});

test('only the alphabet of base64url is read: Node would skip what it does not know', () => {
  const cursor = encodeCursor(['NAME', 'x']);
  for (const text of ['', ' ', `${cursor} `, `${cursor}\n`, `${cursor}=`, `${cursor}.`, cursor.replace('N', '+')])
    if (text !== cursor) expect(decodeCursor(text), JSON.stringify(text)).toBeNull();
});

test('a text much longer than any cursor is rejected before it is decoded', () => {
  expect(decodeCursor(encodeCursor(['x'.repeat(100_000)]))).toBeNull();
});
