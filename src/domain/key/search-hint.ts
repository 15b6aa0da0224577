/** Says why a text finds no key, for the forms of what people look keys up by. */
import { parseImportedDigest } from '../secret/imported-digest.ts';
import { keysIn } from '../secret/keys-in-text.ts';
import { looksLikeSessionToken } from '../secret/other-credentials.ts';
import { secretPattern } from '../secret/secret-shape.ts';
import type { SearchText } from './search-text.ts';

const anySecret = new RegExp(secretPattern());
/** Of a secret, also without the checksum. */
const partOfSecret = /^[0-9A-Za-z]{4,49}$/;

/**
 * Returns what to know about a search, in one or two sentences; null if there is nothing to say. Never repeats more of the
 * text than a prefix.
 * @param isFound whether the search finds a key
 */
export function searchHint({ text, ids, fragments }: SearchText, keyTag: string, isFound: boolean): string | null {
  const hasTypo = anySecret.test(text) && keysIn(text).length === 0;
  if (isFound) return hasTypo ? 'The secret has a typo: its checksum is wrong. The key was found by its prefix.' : null;
  const words = text.split(/[\s"'`,;]+/);
  if (words.some(looksLikeSessionToken))
    return 'This is a session token, which is for the management API, and not a key.';
  if (/\bwhsec_/.test(text)) return 'This is the secret of a webhook, and not of a key.';
  if (/\bwhpk_/.test(text)) return 'This is the public key of a webhook, and not a key.';
  const [fragment] = fragments;
  if (fragment !== undefined) {
    const { start, random } = fragment;
    const isWhole = random.length >= 8;
    const prefix = start + random.slice(0, 8);
    const other = start.startsWith(`${keyTag}_`) ? '' : ` Keys that are created here begin with ${keyTag}_.`;
    const typo = hasTypo ? ' The secret also has a typo: its checksum is wrong.' : '';
    return `No key of your teams has a prefix that ${isWhole ? 'is' : 'begins with'} ${prefix}.${typo}${other}`;
  }
  if (ids.length > 0) return 'No key of your teams has this id or external ID.';
  if (words.some((word) => parseImportedDigest(word).ok)) {
    return 'This is a digest or a signing secret. Only the digest of an imported key finds a key: look for a prefix or an id.';
  }
  return partOfSecret.test(text) && /\d|[a-z][A-Z]/.test(text)
    ? 'No id, prefix, name, external ID, tag or description has this. A part of a secret can’t be found, because only digests of secrets are stored: look for the beginning of the key, such as lk_live_4fJx81Qz.'
    : null;
}
