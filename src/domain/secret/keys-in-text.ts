/** Keys of our own format in other texts. */
import { limits } from '../limits.ts';
import { hasChecksum, prefixOfSecret } from './secret.ts';
import { derivedStart, keyPattern } from './secret-shape.ts';

/** A tag can begin at each of several letters (`u003dlk_…`), so each is a candidate. */
const keys = new RegExp(`(?=(${keyPattern()}))`, 'g');
const tokenStarts = new RegExp(`(?=(${derivedStart()}))`, 'g');
/** A token has any length, so it ends where its alphabet ends. */
const restOfToken = /[\w-]{106,990}(?![\w-])/y;
/** So many starts of tokens with the same end are tried: each takes a checksum, and a text could consist of them. */
const maxStarts = 3;

interface Found {
  readonly index: number;
  readonly secret: string;
}

/**
 * Finds the keys of our own format in a text, and the tokens that are derived from them, in order, whatever is before
 * them. The checksum says where one begins.
 */
export function keysIn(text: string): readonly string[] {
  const found: Found[] = [...text.matchAll(keys)].map(({ index, 1: secret = '' }) => ({ index, secret }));
  const ofKeys = found.filter(({ secret }) => prefixOfSecret(secret) !== null);
  return [...ofKeys, ...tokensIn(text)].sort((a, b) => a.index - b.index).map(({ secret }) => secret);
}

function* tokensIn(text: string): Generator<Found> {
  let [from, end, starts] = [-1, -1, 0];
  for (const { index, 1: start = '' } of text.matchAll(tokenStarts)) {
    // Each letter of a tag is the start of a candidate with the same rest.
    if (index + start.length !== from) {
      from = index + start.length;
      restOfToken.lastIndex = from;
      const endBefore = end;
      end = restOfToken.test(text) ? restOfToken.lastIndex : -1;
      starts = end === endBefore ? starts + 1 : 1;
    }
    if (end === -1 || starts > maxStarts) continue;
    const secret = text.slice(index, end);
    if (hasChecksum(secret)) yield { index, secret };
  }
}

/** So much of a reported text is searched for a key. Scanners add a few characters before and after it. */
const maxReportedCharacters = limits.presentedCharacters + 100;

/** Returns what may be a key in a text that a scanner reports: the text, and keys of our own format inside it. */
export function secretsIn(reported: string): readonly string[] {
  return [...new Set([reported, ...keysIn(reported.slice(0, maxReportedCharacters))])];
}
