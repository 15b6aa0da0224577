import fc from 'fast-check';
import { expect, test } from 'vitest';
import { searchable, sortable } from '../../src/domain/folded-text.ts';
import { limits } from '../../src/domain/limits.ts';
import {
  escapeControlCharacters,
  escapeLine,
  hasControlCharacters,
  parseLine,
  replaceControlCharacters,
  spellingsOf,
} from '../../src/domain/text.ts';

const length = { ok: false, problem: 'must have 1 to 100 characters after trimming' };
const utf16 = fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units));
const rejected = (text: string) => {
  const parsed = parseLine(text, 100);
  return parsed.ok ? parsed.value : parsed.problem;
};

test.each([
  ['must be well-formed Unicode', '\ud83d', '\ude00'],
  ['must have no control characters', '\0', '\t', '\n', '\r', '\x1b', '\x7f', '\x85', '\u2028', '\u2029'],
  // Overrides, embeddings, isolates and marks.
  ['must have no characters that reorder text', '\u202e', '\u202a', '\u2066', '\u2069', '\u200e', '\u200f', '\u061c'],
  [
    'must have no invisible characters',
    ...['\u00ad', '\u034f', '\u115f', '\u1160', '\u17b4', '\u17b5', '\u180b', '\u180e', '\u200b', '\u200c', '\u200d'],
    ...['\u2060', '\u2064', '\u206a', '\u2800', '\u3164', '\ufe00', '\ufe0e', '\ufe0f', '\ufeff', '\uffa0', '\ufff9'],
    ...['\ufffc', '\u{1d159}', '\u{1d173}', '\u{e0001}', '\u{e0061}', '\u{e007f}', '\u{e0100}'],
  ],
  ['must have only assigned characters', '\u0378', '\ufdd0', '\uffff', '\u{10ffff}'],
])('a text that people read %s: the error names each and its place', (problem, ...characters) => {
  for (const character of characters) {
    const name = `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;
    expect(rejected(`a${character}b`)).toBe(`${problem}: character 2 is ${name}`);
    expect(rejected(` 😀a ${character}b\u200b`)).toBe(`${problem}: character 5 is ${name}`);
  }
});

test('a joiner is accepted where it shapes visible neighbors, and a variation selector or tag in an emoji', () => {
  const accepted = [
    ...['می‌خواهم', '10‌تایی', 'क्‍ष', 'ක්‍ෂ', 'ന്‍റെ', 'नमस्ते', 'مفتاح', 'ประตู', '日本語', '각'],
    ...['👩‍👩‍👧‍👦 family', '❤️', '❤︎', '❤️‍🔥', '👁️‍🗨️', '🏳️‍🌈', '🏃🏽‍♂️‍➡️', '👍🏽', '🇩🇪', '1️⃣', '#️⃣', '™️'],
    ...['🏴󠁧󠁢󠁥󠁮󠁧󠁿', '🏴󠁧󠁢󠁳󠁣󠁴󠁿 x', '🏴󠁧󠁢󠁷󠁬󠁳󠁿'],
  ];
  for (const text of accepted) expect(rejected(text)).toBe(text);
  const invisible = /^must have no invisible characters: character \d is U\+/;
  for (const text of [
    '\u200dम',
    'می\u200c',
    'a\u200db',
    'a\u0301\u200d\u0301',
    'म\u200c\u200d',
    '\u3164\u200cم',
    'م\u200c\u3164',
    '\u17b4\u200dក',
    '\u2800\u200dम',
    '👩\u200d',
    '\u200d👩',
  ])
    expect(rejected(text), JSON.stringify(text)).toMatch(invisible);
  for (const text of ['a\ufe0f', '1\ufe0f', '❤\ufe0f\ufe0f', '\ufe0f❤', '🏴\u{e0061}\u{e007f}', '🏴󠁧󠁢󠁥󠁮󠁧', 'x󠁧󠁢󠁥󠁮󠁧󠁿'])
    expect(rejected(text), JSON.stringify(text)).toMatch(invisible);
});

test('a format character that is seen, such as a sign before a number, is accepted', () => {
  for (const text of ['\u06dd١', 'سنة \u0601٢٠٢٦', '\u070fܐ', '\u{110bd}१']) expect(rejected(text)).toBe(text);
});

test('texts that look the same are the same: in NFC, and with plain spaces', () => {
  for (const text of ['Mu\u0308ller', '\u212bngstro\u0308m', '\u1100\u1161', 'a\u00a0b', 'a\u2009b\u3000c']) {
    const expected = text.normalize('NFC').replace(/[\u00a0\u2009\u3000]/g, ' ');
    expect(expected).not.toBe(text);
    expect(parseLine(text, 100)).toEqual({ ok: true, value: expected });
    expect(spellingsOf(expected)).toContain(expected.normalize('NFD'));
    expect(spellingsOf(text)).toEqual(expect.arrayContaining([text, expected]));
  }
  expect(spellingsOf('customer-42')).toEqual(['customer-42']);
  expect(parseLine('u\u0308'.repeat(100), 100)).toEqual({ ok: true, value: 'ü'.repeat(100) });
});

test('a character has at most 30 marks: more would take long to normalize', () => {
  for (const text of ['Tie\u0302\u0301ng', 'שָׁלוֹם', 'Z\u0337\u0353\u0301', `a${'\u0315\u0300'.repeat(15)}`])
    expect(rejected(text)).toBe(text.normalize('NFC'));
  expect(rejected(`a${'\u0315\u0300'.repeat(15)}\u0301`)).toBe('must have at most 30 marks on a character');
});

test('a text of combining marks has nothing to see', () => {
  for (const text of ['\u0301', '\u0301 \u0308', '\u20e3'])
    expect(rejected(text)).toBe('must have a visible character');
});

test('a text that is much too long is rejected before its characters are looked at', () => {
  const parsed = parseLine('\u200b'.repeat(100_000), 100);
  expect(parsed).toEqual(length);
});

test.each([
  ['a letter outside the basic plane', '𝒜'],
  ['Arabic, which runs right to left by itself', 'مفتاح'],
  ['quotes, angle brackets and wildcards', `<b>"50%" o'clock_\\</b>`],
  ['inner spaces', 'a  b'],
])('a name with %s is accepted as written', (_, name) => {
  expect(parseLine(name, 100)).toEqual({ ok: true, value: name });
});

test('white space around a name is cut, also tabs and line feeds, but no NUL; a name of nothing else is empty', () => {
  expect(parseLine(' \t\n deploy \u00a0\r\n', 100)).toEqual({ ok: true, value: 'deploy' });
  expect(rejected('deploy\0')).toBe('must have no control characters: character 7 is U+0000');
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
      expect(value).toBe(
        text
          .trim()
          .normalize('NFC')
          .replace(/\p{Zs}/gu, ' '),
      );
      expect(searchable(value)).not.toBe('');
      expect(sortable(value)).not.toBe('');
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

test('a text that people read never contains the secret of a key, also not with a typo or of another tag', () => {
  const secret = `lk_live_4fJx81Qz_${'k'.repeat(49)}`;
  for (const text of [secret, `old: ${secret}.`, secret.replace('lk_live', 'acme_test'), `KEY=${secret}`]) {
    expect(rejected(text)).toMatch(/^must not contain the secret of a key/);
  }
  for (const text of ['lk_live_4fJx81Qz', 'lk_live_4fJx81Qz_…', secret.slice(0, -1)]) expect(rejected(text)).toBe(text);
});
