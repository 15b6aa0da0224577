import { accepted, type Parsed, rejected } from '../lib/parsed.ts';
import { normalized } from './normalized.ts';
import { secretPattern } from './secret/secret-shape.ts';

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
  // A braille cell without dots, the place of an object, and characters whose glyph is empty. Not the format characters
  // that are seen: signs before numbers and verses, such as U+06DD (Prepended_Concatenation_Mark).
  {
    what: 'have no invisible characters',
    pattern:
      /(?![\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}])[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{16fe4}\u{1d159}]/u,
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

/** By form alone: a secret with a typo tells most of the right one. */
const anySecret = /* @__PURE__ */ new RegExp(secretPattern());

/**
 * Parses a text of one line that people read: names, tags, reasons. It has 1 to `limit` code points after trimming, and
 * something to see, but not the secret of a key, which lists and logs would show. Returns it in one spelling (NFC, plain
 * spaces), so that texts that look the same are the same.
 */
export function parseLine(text: string, limit: number): Parsed<string> {
  const trimmed = text.trim();
  // No character is composed of more code units. The other checks take longer.
  if (trimmed.length > 8 * limit) return hasWrongLength(limit);
  const problem = problemOfText(trimmed, text.length - text.trimStart().length);
  if (problem !== null) return rejected(problem);
  if (anySecret.test(trimmed)) return rejected('must not contain the secret of a key, which others could read here');
  if (hasStackedMarks(trimmed)) return rejected(`must have at most ${maxMarks} marks on a character`);
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

/** As in the Stream-Safe Text Format (UAX #15), which no writing exceeds. */
const maxMarks = 30;
const stackedMarks = /* @__PURE__ */ new RegExp(`\\p{M}{${maxMarks + 1}}`, 'u');

/** Returns whether to normalize the text can take a second: the time grows with the square of the marks on a character. */
export function hasStackedMarks(text: string): boolean {
  return stackedMarks.test(text);
}

/** Returns the spellings in which a text may be stored: as it is written now, and as it was before it was normalized. */
export function spellingsOf(text: string): readonly string[] {
  return [...new Set([normalized(text), text, text.normalize('NFC'), text.normalize('NFD')])];
}
