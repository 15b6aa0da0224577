/** What a file for `latchkey leaks report` reports: matches as JSON, or any text with keys in it. */
import type { LeakMatch } from '../../domain/leak.ts';
import { parseMatches } from '../../leaks/matches.ts';
import { findKeys } from '../../leaks/scanner-rules.ts';

/** The place of the keys in a text, which does not name one itself. */
export type Place = Pick<LeakMatch, 'type' | 'url' | 'source'>;

/**
 * Returns the matches of a JSON array `[{token, type, url, source}]`. In any other text, such as the reports of gitleaks
 * and TruffleHog, finds the keys by their format and checksum, each once.
 */
export function matchesIn(text: string, place: Place): readonly LeakMatch[] {
  const items = jsonArrayIn(text);
  if (items === null) return [...new Set(findKeys(text))].map((token) => ({ token, ...place }));
  return batchesOf(items).flatMap(parseMatches);
}

function jsonArrayIn(text: string): readonly unknown[] | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
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
