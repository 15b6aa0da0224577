import { accepted, type Parsed, rejected } from '../lib/parsed.ts';

/**
 * Control characters, line and paragraph separators, lone surrogates (which UTF-8 can't encode), and bidirectional
 * controls, which show a text in a misleading order (CVE-2021-42574).
 */
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

export function hasControlCharacters(text: string): boolean {
  return unprintable.test(text);
}

/** Returns the text with a space for each line break or tab, and U+FFFD for each other control character. */
export function replaceControlCharacters(text: string): string {
  return text.replace(/[\t\r\n\p{Zl}\p{Zp}]/gu, ' ').replace(new RegExp(unprintable, 'gu'), '\ufffd');
}

/**
 * Returns the text with `\uXXXX` for each character that a terminal may interpret, so that JSON keeps its value. Keeps
 * line breaks and tabs, which JSON has only between values. Names and tags have none of the others, so CSV keeps its
 * values too.
 */
export function escapeControlCharacters(text: string): string {
  return text.replace(new RegExp(`\\r(?!\\n)|(?![\\t\\r\\n])${unprintable.source}`, 'gu'), escapeOf);
}

/** Returns the text in one line, with an escape also for line breaks and tabs. */
export function escapeLine(text: string): string {
  return escapeControlCharacters(text).replace(/[\t\r\n]/g, escapeOf);
}

function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** What a text that people read must not have, and how an error calls it. The first one that matches counts. */
const hidden: readonly { readonly what: string; readonly pattern: RegExp }[] = [
  { what: 'be well-formed Unicode', pattern: /\p{Cs}/u },
  { what: 'have no control characters', pattern: /[\p{Cc}\p{Zl}\p{Zp}]/u },
  { what: 'have no characters that reorder text', pattern: /\p{Bidi_Control}/u },
  // A braille cell without dots, the place of an object, and characters whose glyph is empty.
  {
    what: 'have no invisible characters',
    pattern: /[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{16fe4}\u{1d159}]/u,
  },
  // Emoji of later versions of Unicode are among the pictographs already.
  { what: 'have only assigned characters', pattern: /(?!\p{Extended_Pictographic})\p{Cn}/u },
];

/** Of scripts in which a joiner or non-joiner changes the shape of its neighbors, as in Persian, Hindi and Sinhala. */
const shapedScripts =
  'Arab Syrc Mong Nkoo Adlm Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr Mymr Tibt Java Bali';

/** So that a bundle that checks no texts, as that of @latchkey/client, has none of this. */
const compiled = /* @__PURE__ */ patterns();

function patterns() {
  const anyHidden = new RegExp(hidden.map(({ pattern }) => pattern.source).join('|'), 'u');
  const visible = String.raw`(?!${anyHidden.source})[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Co}]`;
  const inScripts = shapedScripts.replace(/\w+ ?/g, (script) => `\\p{scx=${script.trim()}}`);
  const shaped = String.raw`(?=${visible})(?=[\p{L}\p{M}\p{N}])[${inScripts}]`;
  const emoji = String.raw`\p{Extended_Pictographic}(?:[\ufe0e\ufe0f]|\p{Emoji_Modifier})?`;
  /** The parts of a text in which an invisible character has its use. No other flags are of tag characters (UTS #51). */
  const legitimate = [
    ...['gbeng', 'gbsct', 'gbwls'].map((region) => `\u{1f3f4}${tagged(region)}\u{e007f}`),
    String.raw`[#*\d]\ufe0f\u20e3`,
    `${emoji}(?:\u200d${emoji})*`,
    `${shaped}[\u200c\u200d](?=${visible})`,
    `${visible}[\u200c\u200d](?=${shaped})`,
  ].join('|');
  return { anyHidden, parts: new RegExp(`${legitimate}|[^]`, 'gu') };
}

function tagged(ascii: string): string {
  return ascii.replace(/[a-z]/g, (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0)));
}

/**
 * Returns what is wrong with a text that people read, or null: what they can't see, or see in another order than it has
 * (CVE-2021-42574), makes two texts look the same. Names the first wrong character, and not the text.
 * @param skipped the number of characters before the text that the caller wrote, too
 */
export function problemOfText(text: string, skipped = 0): string | null {
  // Most texts need not be read part by part, which takes longer.
  if (!compiled.anyHidden.test(text)) return null;
  let position = skipped + 1;
  for (const [part] of text.matchAll(compiled.parts)) {
    const characters = [...part];
    const problem = characters.length > 1 ? undefined : hidden.find(({ pattern }) => pattern.test(part));
    if (problem !== undefined) return `must ${problem.what}: character ${position} is ${nameOf(part)}`;
    position += characters.length;
  }
  return null;
}

function nameOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/**
 * Parses a text of one line that people read: names, tags, reasons. It has 1 to `limit` code points after trimming, and
 * something to see. Returns it in one spelling (NFC, plain spaces), so that texts that look the same are the same.
 */
export function parseLine(text: string, limit: number): Parsed<string> {
  const trimmed = text.trim();
  // No character is composed of more code units. The other checks take longer.
  if (trimmed.length > 8 * limit) return hasWrongLength(limit);
  const problem = problemOfText(trimmed, text.length - text.trimStart().length);
  if (problem !== null) return rejected(problem);
  const line = parseLength(normalized(trimmed), limit);
  return !line.ok || /[\p{L}\p{N}\p{P}\p{S}\p{Co}]/u.test(line.value)
    ? line
    : rejected('must have a visible character');
}

/** Parses a text to look for, which a key can have from before `parseLine` had its present rules. */
export function parseSearched(text: string, limit: number): Parsed<string> {
  const trimmed = text.trim();
  return hasControlCharacters(trimmed) ? rejected('must have no control characters') : parseLength(trimmed, limit);
}

function parseLength(text: string, limit: number): Parsed<string> {
  const characters = [...text].length;
  return characters < 1 || characters > limit ? hasWrongLength(limit) : accepted(text);
}

function hasWrongLength(limit: number): Parsed<never> {
  return rejected(`must have 1 to ${limit} characters after trimming`);
}

/** Returns the one spelling of a text that people read. */
export function normalized(text: string): string {
  return text.normalize('NFC').replace(/\p{Zs}/gu, ' ');
}

/** Returns the spellings in which a text may be stored: as it is written now, and as it was before it was normalized. */
export function spellingsOf(text: string): readonly string[] {
  return [...new Set([normalized(text), text, text.normalize('NFC'), text.normalize('NFD')])];
}

/**
 * Folds what people rarely tell apart when they look for a text or for its place in a list: case, compatibility forms,
 * accents. Keeps the signs of scripts that write vowels as marks. In NFC, so that a Korean syllable is one character.
 */
function folded(text: string): string {
  return (
    text
      .normalize('NFKD')
      .replace(/(?=\p{M})(?![\u3099\u309a])\p{Script=Inherited}|\p{Default_Ignorable_Code_Point}/gu, '')
      // To upper case for ß and dotless ı; from lower case, because a capital ẞ has no other upper case.
      .toLowerCase()
      .toUpperCase()
      .toLowerCase()
      .replace(/[ςæœøłđħ]/g, (letter) => plainLetters[letter] ?? '')
      .normalize('NFC')
  );
}

/** Letters that Unicode does not decompose. */
const plainLetters: Readonly<Record<string, string>> = { ς: 'σ', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ħ: 'h' };

/** Folds a text for searches. */
export function searchable(text: string): string {
  return withoutWildcards(folded(text));
}

/** Folds a text as versions up to 0.1 did, whose rows the upkeep has yet to convert. */
export function searchableBefore(text: string): string {
  return withoutWildcards(text.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ'));
}

/** Replaces the wildcards of SQL's LIKE with private-use characters, so that a query of any version finds them. */
function withoutWildcards(text: string): string {
  return text.replace(/[%_\\]/g, (wildcard) => ({ '%': '\ue000', _: '\ue001', '\\': '\ue002' })[wildcard] ?? '');
}

const sortableCharacters = 128;
/** Control characters, which no text that is searched for has. They sort before all letters, in this order. */
const order = { space: '\x0b', punctuation: '\x0c', firstLength: 0x0d, lastLength: 0x1f } as const;

/**
 * Returns a text that sorts as people expect when it is compared by code points, as SQLite and PostgreSQL's collation "C"
 * do: without accents and case, spaces before punctuation, punctuation before numbers, and numbers before letters. Before
 * the digits of a number is their count, so that 2 is before 10. Limited, because an index has it.
 */
export function sortable(text: string): string {
  const sorted = folded(text).replace(/(\p{Nd}+)|(\s)|[\p{P}\p{S}]/gu, (part, digits?: string, space?: string) => {
    if (digits !== undefined) return sortableNumber(digits);
    return space === undefined ? order.punctuation + part : order.space;
  });
  return [...sorted].slice(0, sortableCharacters).join('');
}

function sortableNumber(digits: string): string {
  const number = [...digits]
    .map(digitValue)
    .join('')
    .replace(/^0+(?=.)/, '');
  return String.fromCharCode(Math.min(order.firstLength + number.length - 1, order.lastLength)) + number;
}

/** Unicode has the ten digits of each script in their order. */
function digitValue(digit: string): number {
  const code = digit.codePointAt(0) ?? 0;
  if (code < 0x80) return code - 0x30;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value += 1;
  return value;
}
