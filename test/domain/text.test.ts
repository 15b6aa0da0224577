import fc from 'fast-check';
import { expect, test } from 'vitest';
import { limits } from '../../src/domain/limits.ts';
import {
  escapeControlCharacters,
  escapeLine,
  hasControlCharacters,
  parseLine,
  replaceControlCharacters,
  searchable,
} from '../../src/domain/text.ts';

const controls = { ok: false, problem: 'must have no control characters' };
const length = { ok: false, problem: 'must have 1 to 100 characters after trimming' };
const utf16 = fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units));

test.each([
  ...['\0', '\t', '\n', '\r', '\x1b[31m', '\x7f', '\x85', '\u2028', '\u2029', '\ud83d', '\ude00'],
  // Bidirectional overrides, embeddings and isolates.
  ...['\u202e', '\u202a', '\u2066', '\u2069'],
])('a name with the character %j is rejected', (character) => {
  expect(parseLine(`a${character}b`, 100)).toEqual(controls);
});

test.each([
  ['an emoji joined by zero-width joiners', '👩‍👩‍👧‍👦 family'],
  ['a letter outside the basic plane', '𝒜'],
  ['Arabic, which runs right to left by itself', 'مفتاح'],
  ['quotes, angle brackets and wildcards', `<b>"50%" o'clock_\\</b>`],
  ['inner spaces', 'a  b'],
])('a name with %s is accepted as written', (_, name) => {
  expect(parseLine(name, 100)).toEqual({ ok: true, value: name });
});

test('white space around a name is cut, also tabs and line feeds, but no NUL; a name of nothing else is empty', () => {
  expect(parseLine(' \t\n deploy \u00a0\r\n', 100)).toEqual({ ok: true, value: 'deploy' });
  expect(parseLine('deploy\0', 100)).toEqual(controls);
  for (const name of ['', ' ', '\t\n', '\u3000']) expect(parseLine(name, 100)).toEqual(length);
});

test('the limit is counted in characters, not UTF-16 units, after trimming', () => {
  for (const character of ['😀', 'a']) {
    const text = character.repeat(limits.nameCharacters);
    expect(parseLine(` ${text} `, limits.nameCharacters)).toEqual({ ok: true, value: text });
    expect(parseLine(text + character, limits.nameCharacters)).toEqual(length);
  }
  expect(parseLine('aaaaaa', 5)).toEqual({ ok: false, problem: 'must have 1 to 5 characters after trimming' });
});

test('accepted text is trimmed, well-formed, on one line and within the limit, and parsing it again changes nothing', () => {
  const text = fc.oneof(utf16, fc.string({ unit: 'grapheme', maxLength: 30 }), fc.string({ unit: 'binary' }));
  fc.assert(
    fc.property(text, (text) => {
      const parsed = parseLine(text, 20);
      if (!parsed.ok) return;
      const { value } = parsed;
      expect(value).toBe(text.trim());
      expect(value.isWellFormed()).toBe(true);
      expect([...value].length).toBeGreaterThanOrEqual(1);
      expect([...value].length).toBeLessThanOrEqual(20);
      expect([...value].some((c) => c < ' ' || (c >= '\x7f' && c < '\xa0'))).toBe(false);
      expect(parseLine(value, 20)).toEqual({ ok: true, value });
    }),
    { numRuns: 1000 },
  );
});

test('one control character anywhere inside is found', () => {
  const control = fc.constantFrom('\0', '\x07', '\x1f', '\x7f', '\x9f', '\u2028', '\u202c', '\u2067', '\ud800');
  fc.assert(
    fc.property(fc.string(), control, fc.string(), (before, control, after) => {
      expect(hasControlCharacters(before + control + after)).toBe(true);
      expect(hasControlCharacters(before + after)).toBe(false);
    }),
  );
});

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

test('a search finds a name in upper or lower case, including the final sigma, and in any compatibility form', () => {
  expect(searchable('DePLOY Ä')).toBe('deploy ä');
  expect(searchable('ΟΔΟΣ 1')).toBe(searchable('οδοσ 1'));
  expect(searchable('ΟΔΟΣΑ')).toContain(searchable('ΟΔΟΣ'));
  expect(searchable('ＡＰＩ　ﬁne')).toBe('api fine');
  expect(searchable('e\u0301')).toBe(searchable('é'));
});

test('without its control characters, a text is one line with a character for each of them', () => {
  expect(replaceControlCharacters('a\r\nb\tc\u2028d\0e\x1b[1mf\u202eg\ud83dh 😀')).toBe(
    'a  b c d\ufffde\ufffd[1mf\ufffdg\ufffdh 😀',
  );
  fc.assert(fc.property(utf16, (text) => !hasControlCharacters(replaceControlCharacters(text))));
});

test('with its control characters escaped, a text has its line breaks, JSON has its value, and a line is one', () => {
  expect(escapeControlCharacters('a\r\nb\tc\r\u009b\u202e\ud83d 😀 א\u200f')).toBe(
    'a\r\nb\tc\\u000d\\u009b\\u202e\\ud83d 😀 א\u200f',
  );
  expect(escapeLine('a\r\nb\tc')).toBe('a\\u000d\\u000ab\\u0009c');
  fc.assert(
    fc.property(utf16, (text) => {
      expect(JSON.parse(escapeControlCharacters(JSON.stringify({ [text]: text }, null, 2)))).toEqual({ [text]: text });
      expect(hasControlCharacters(escapeControlCharacters(text).replace(/\r\n|[\n\t]/g, ''))).toBe(false);
      expect(hasControlCharacters(escapeLine(text))).toBe(false);
    }),
  );
});
