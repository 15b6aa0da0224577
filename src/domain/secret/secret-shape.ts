/** The formats of the secrets that Latchkey knows. Uses only web standards, because @latchkey/client contains this file. */

const anyTag = '[a-z][a-z0-9]{0,15}';
const base62 = '[0-9A-Za-z]';
const [prefixCharacters, randomCharacters, checksumCharacters] = [8, 43, 6];

/**
 * The words after the tag, which say what a secret is:
 * - `issued`: a key whose secret Latchkey made. It is looked up by an HMAC under a pepper, which no client can compute.
 * - `client`: a key whose secret a client made, which sent only its SHA-256. Another form, so that what a client computes
 *   never matches a key of the usual form: an import could restore a revoked one.
 * - `management`: a key for the management API.
 */
const words = { issued: '(?:live|test)', client: '(?:live|test)_c', management: 'mgmt' } as const;

export type SecretForm = keyof typeof words;

const anyWords = '(?:(?:live|test)(?:_c)?|mgmt)';
const shapeOf = (form: string) =>
  new RegExp(`^(${prefixPattern(anyTag, form)})_${base62}{${randomCharacters}}(${base62}{${checksumCharacters}})$`);

/** The format of the keys that Latchkey makes. */
export const secretShape = shapeOf(words.issued);

/** The format of every secret. Its groups are the prefix and the checksum. */
export const anySecretShape = shapeOf(anyWords);

/** The keys of a team's APIs, whoever made their secrets: what verification decides on. */
const keyShape = shapeOf('(?:live|test)(?:_c)?');

/** The format of a tag. Keys with a tag in another format would not be recognized. */
export const tagShape = new RegExp(`^${anyTag}$`);

/** Checks the format without the checksum. */
export function hasSecretShape(text: string): boolean {
  return secretShape.test(text);
}

/** Whether a text has the format of a key of our own, in either form. Fast enough for every verification. */
export function hasKeyShape(text: string): boolean {
  return keyShape.test(text);
}

/** Returns what a text is by its format alone; null if it is not a secret of ours. */
export function secretFormOf(text: string): SecretForm | null {
  const prefix = anySecretShape.exec(text)?.[1];
  if (prefix === undefined) return null;
  const [, word, mark] = prefix.split('_');
  if (word === 'mgmt') return 'management';
  return mark === 'c' ? 'client' : 'issued';
}

const clientPrefix = new RegExp(`^${prefixPattern(anyTag, words.client)}$`);

/** Whether a key with this prefix has a secret that a client made. Imported keys have no such prefix. */
export function isClientMade(prefix: string): boolean {
  return clientPrefix.test(prefix);
}

/**
 * Returns an expression, without groups, for the secrets with a tag, in every form; for those with any tag by default. It
 * has no boundaries: what is around keys in files, such as `\u0022`, `%3D`, `KEY_` or `[31m`, ends with letters and digits
 * too.
 */
export function secretPattern(tag = anyTag): string {
  return `${prefixPattern(tag, anyWords)}_${base62}{${randomCharacters + checksumCharacters}}`;
}

function prefixPattern(tag: string, form: string): string {
  return `${tag}_${form}_${base62}{${prefixCharacters}}`;
}
