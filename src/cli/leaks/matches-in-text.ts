/** What a file for `latchkey leaks report` reports: matches as JSON, or any text with keys in it. */

import type { LeakMatch } from '../../domain/leak.ts';
import { keysIn } from '../../domain/secret/keys-in-text.ts';
import { parseMatches, wrongMatchIn } from '../../leaks/matches.ts';
import { spellings } from '../../leaks/spellings.ts';
import { tryParseJson } from '../../lib/try-parse-json.ts';
import { textOf, unreadable } from './file-text.ts';

/** The place of the keys in a text, which does not name one itself. */
export type Place = Pick<LeakMatch, 'type' | 'url' | 'source'>;

/**
 * Returns the matches of a JSON array `[{token, type, url, source}]`. In any other text, such as the reports of gitleaks
 * and TruffleHog, finds the keys by their format and checksum, each once, also in encodings. Throws Failure if the file
 * is not text.
 */
export function matchesIn(bytes: Buffer, file: string, place: Place): readonly LeakMatch[] {
  const text = textOf(bytes, file);
  const items = jsonArrayIn(text);
  const wrong = items === null ? null : wrongMatchIn(items);
  if (wrong !== null) throw unreadable(file, `has a match of another form. ${wrong.field} ${wrong.message}`);
  // Parsed here too, because the place is printed, and can contain a key.
  return batchesOf(items ?? [...keysInFile(text, file)].map((token) => ({ token, ...place }))).flatMap(parseMatches);
}

/** A part of a file, so that the memory does not depend on the size of the file. */
const partCharacters = 64 * 1024;
/** Many times the length of a key in several encodings, so that each key is in one part as a whole. */
const overlapCharacters = 8 * 1024;
/** How much a part is decoded at most, in its length. Minified programs, with many escapes in each other, reach 26. */
const maxDecodings = 100;

function keysInFile(text: string, file: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (let start = 0; start < text.length; start += partCharacters - overlapCharacters) {
    let characters = 0;
    for (const form of spellings(text.slice(start, start + partCharacters))) {
      characters += form.length;
      if (characters > maxDecodings * partCharacters) {
        throw unreadable(file, 'has too many encodings in each other. Decode it first');
      }
      for (const key of keysIn(form)) found.add(key);
    }
  }
  return found;
}

function jsonArrayIn(text: string): readonly unknown[] | null {
  const value = tryParseJson(text);
  const isReport = Array.isArray(value) && value.length > 0 && value.every((item) => Object(item).token !== undefined);
  return isReport ? (value as readonly unknown[]) : null;
}

/** So few that a report has at most 512 kB, also if all texts are long and not ASCII. */
const matchesPerReport = 50;

export function batchesOf<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  const batches: Item[][] = [];
  for (let i = 0; i < items.length; i += matchesPerReport) batches.push(items.slice(i, i + matchesPerReport));
  return batches;
}
