import fc from 'fast-check';
import { expect, test } from 'vitest';
import { limits } from '../../../src/domain/limits.ts';
import { parseLine } from '../../../src/domain/text.ts';
import { decodeCursor, encodeCursor } from '../../../src/manage/read/page.ts';
import { cursorOf, parsePosition } from '../../../src/manage/read/read-keys.ts';
import { rowFromKey } from '../../../src/store/rows/key-rows.ts';
import { plainKey } from '../../support/plain-keys.ts';

const raw = (json: string) => Buffer.from(json).toString('base64url');

test('a page may end with any name: the cursor of a key ordered by name is never too long to read', () => {
  const key = { ...plainKey, id: 'i'.repeat(36), teamId: 't', env: 'live', digest: 'd', pepperId: 'p' } as const;
  const position = (name: string) => {
    const more = { name, prefix: 'x'.repeat(30), previousPrefix: 'y'.repeat(30), createdAt: new Date() };
    return { value: rowFromKey({ ...key, ...more }, 1n).searchText, id: key.id };
  };
  const read = (name: string) => parsePosition('NAME', cursorOf('NAME', position(name)));
  // ﷺ becomes 18 characters when compatibility forms are made equal: no character grows more.
  for (const name of ['\ufdfa', '_', '1 ', '𝔘'].map((text) => text.repeat(limits.nameCharacters / text.length)))
    expect(read(name)).toEqual({ ok: true, value: position(name) });
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 90, maxLength: 100 }), (name) => {
      fc.pre(parseLine(name, limits.nameCharacters).ok);
      expect(read(name)).toEqual({ ok: true, value: position(name) });
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
