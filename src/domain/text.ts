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

/** Parses a text of one line that has 1 to `limit` code points after trimming. */
export function parseLine(text: string, limit: number): Parsed<string> {
  const trimmed = text.trim();
  if (hasControlCharacters(trimmed)) return rejected('must have no control characters');
  const characters = [...trimmed].length;
  if (characters < 1 || characters > limit) return rejected(`must have 1 to ${limit} characters after trimming`);
  return accepted(trimmed);
}

/**
 * Normalizes a text for searches: folds case (including the final sigma), unifies compatibility forms, and replaces the
 * wildcards of SQL's LIKE with private-use characters, so that queries need not escape the wildcards.
 */
export function searchable(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .replace(/[%_\\]/g, (wildcard) => ({ '%': '\ue000', _: '\ue001', '\\': '\ue002' })[wildcard] ?? '');
}
