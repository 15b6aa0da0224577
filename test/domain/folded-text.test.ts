import fc from 'fast-check';
import { expect, test } from 'vitest';
import { searchable, sortable } from '../../src/domain/folded-text.ts';
import { parseLine } from '../../src/domain/text.ts';

const utf16 = fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units));

test('a search text contains no unescaped wildcard of LIKE, in any spelling', () => {
  const wildcard = fc.constantFrom('%', '_', '\\', '％', '＿', '＼', '﹪', '﹨', '﹍', '﹎', '﹏', '︳', '︴');
  const text = fc.oneof(
    utf16,
    fc.array(fc.oneof(wildcard, fc.string({ unit: 'binary' }))).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(text, (text) => {
      expect(searchable(text)).not.toMatch(/[%_\\]/);
    }),
    { numRuns: 1000 },
  );
});

test('each wildcard is found as itself, and as no other', () => {
  const [percent, underscore, backslash] = ['%', '_', '\\'].map(searchable);
  expect(new Set([percent, underscore, backslash]).size).toBe(3);
  expect(`${percent}${underscore}${backslash}`).toHaveLength(3);
  expect(searchable('lk_live_a')).toBe(`lk${underscore}live${underscore}a`);
  expect(searchable('100%')).toBe(`100${percent}`);
  expect(searchable('a\\b')).toBe(`a${backslash}b`);
});

test('a search finds a name in any case, with or without accents, and in any compatibility form', () => {
  expect(searchable('DePLOY Ä')).toBe('deploy a');
  expect(searchable('ΟΔΟΣ 1')).toBe(searchable('οδοσ 1'));
  expect(searchable('ΟΔΟΣΑ')).toContain(searchable('ΟΔΟΣ'));
  expect(searchable('ＡＰＩ　ﬁne')).toBe('api fine');
  expect(searchable('e\u0301')).toBe(searchable('é'));
  for (const text of ['İSTANBUL', 'istanbul', 'ıstanbul']) expect(searchable(text)).toBe('istanbul');
  for (const text of ['Straße', 'STRASSE', 'STRAẞE', 'ſtraße']) expect(searchable(text)).toBe('strasse');
  expect(searchable('ŁÓDŹ Øre Æble')).toBe('lodz ore aeble');
  // The vowels of some scripts are marks, and no accents.
  expect(new Set(['कि', 'का', 'क', 'が', 'か', '각', '가'].map(searchable)).size).toBe(7);
});

test('a search is found in a name that contains it, whatever both are', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1 });
  fc.assert(
    fc.property(text, text, text, (before, searched, after) => {
      // The parts of a name on their own: a mark, or a Korean vowel, may combine with the letter before it.
      const name = [before, searched, after].join(' ');
      expect(searchable(name)).toContain(searchable(searched));
    }),
  );
});

/** As SQLite and PostgreSQL with the collation "C" compare. */
const sorted = (names: readonly string[]) =>
  names.toSorted((a, b) => Buffer.compare(Buffer.from(sortable(a)), Buffer.from(sortable(b))));

test('names sort as people expect: accents and case do not count, numbers do, and punctuation is before both', () => {
  const names = [
    ...['_x', '🚀 deploy', '007', '10', '1000000000000000000000', 'Ab', 'Äc', 'ad', 'app', 'app 1', 'app-1', 'app_1'],
    ...[
      'app1',
      'appendix',
      'Éclair',
      'İstanbul',
      'key 2',
      'key 010',
      'key 11a',
      'key 11b',
      'Łódź',
      'Straße',
      'STRASSE x',
      'z',
    ],
    ...['Ωmega', 'Яндекс', 'नमस्ते', '日本'],
  ];
  expect(sorted(names.toReversed())).toEqual(names);
  expect(sorted(['١٠', '٢', '１'])).toEqual(['１', '٢', '١٠']);
  // Above U+FFFF, UTF-16 has another order than the databases.
  expect(sorted(['\u{20000}', '\ue100'])).toEqual(['\ue100', '\u{20000}']);
});

test('a text to sort by is short, and has none of the characters that separate it from others', () => {
  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 100 }), fc.string({ unit: 'grapheme', maxLength: 100 }));
  fc.assert(
    fc.property(text, (text) => {
      const line = parseLine(text, 100);
      fc.pre(line.ok);
      const sort = sortable(line.value);
      expect([...sort].length).toBeLessThanOrEqual(128);
      expect(sort).not.toMatch(/[\0-\n]/);
    }),
  );
});
