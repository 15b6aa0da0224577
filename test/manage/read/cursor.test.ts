import fc from 'fast-check';
import { expect, test } from 'vitest';
import { limits } from '../../../src/domain/limits.ts';
import { parseLine, searchable } from '../../../src/domain/text.ts';
import { decodeCursor, encodeCursor } from '../../../src/manage/read/page.ts';

const raw = (json: string) => Buffer.from(json).toString('base64url');

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
