/** Keys of our own format in other texts. */
import { limits } from '../limits.ts';
import { hasChecksum, prefixOfSecret } from './secret.ts';
import { isDerived, secretPattern } from './secret-shape.ts';

/** A tag can begin at each of several letters (`u003dlk_…`), so each is a candidate. */
const candidates = new RegExp(`(?=(${secretPattern()}))`, 'g');

/**
 * Finds the keys of our own format in a text, and the tokens that are derived from them, in order, whatever is around
 * them. The checksum says where one begins.
 */
export function keysIn(text: string): readonly string[] {
  return [...text.matchAll(candidates)].flatMap(([, key = '']) => (isSecret(key) ? [key] : []));
}

function isSecret(text: string): boolean {
  return prefixOfSecret(text) !== null || (isDerived(text) && hasChecksum(text));
}

/** So much of a reported text is searched for a key. Scanners add a few characters before and after it. */
const maxReportedCharacters = limits.presentedCharacters + 100;

/** Returns what may be a key in a text that a scanner reports: the text, and keys of our own format inside it. */
export function secretsIn(reported: string): readonly string[] {
  return [...new Set([reported, ...keysIn(reported.slice(0, maxReportedCharacters))])];
}
