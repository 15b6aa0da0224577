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
 *
 * Expressions try them in this order, so that the start of `lk_live_c_…` is not `lk_live_`.
 */
const words = { client: '(?:live|test)_c', issued: '(?:live|test)', management: 'mgmt' } as const;

export type SecretForm = keyof typeof words;

const allForms = Object.keys(words) as readonly SecretForm[];

const shapeOf = (...forms: readonly SecretForm[]) =>
  new RegExp(`^(${prefixPattern(...forms)})_${base62}{${randomCharacters}}(${base62}{${checksumCharacters}})$`);

/** The format of the keys that Latchkey makes. */
export const secretShape = shapeOf('issued');

/** The format of management keys. */
export const managementShape = shapeOf('management');

/** The format of every secret. Its groups are the prefix and the checksum. */
export const anySecretShape = shapeOf();

/** The keys of a team's APIs, whoever made their secrets: what verification decides on. */
const keyShape = shapeOf('client', 'issued');

/** The format of a tag. Keys with a tag in another format would not be recognized. */
export const tagShape = new RegExp(`^${anyTag}$`);

/** Derived tokens: their random part is longer than that of any key, and is base64url. */
const derivedCharacters = '[\\w-]{100,}?';
const derivedShape = new RegExp(`^(${anyTag}_(?:live|test)_d_)(${derivedCharacters})${base62}{${checksumCharacters}}$`);

/** Whether a text has the format of a key of our own, or of a token derived from one. Fast enough for every verification. */
export function hasKeyShape(text: string): boolean {
  return keyShape.test(text) || isDerived(text);
}

/** Whether a text has the format of a derived token (domain/derived). */
export function isDerived(text: string): boolean {
  return derivedShape.test(text);
}

/** Returns what a derived token begins with, and what is before its checksum; null for another format. */
export function derivedParts(text: string): { readonly start: string; readonly body: string } | null {
  const [, start, body] = derivedShape.exec(text) ?? [];
  return start === undefined || body === undefined ? null : { start, body };
}

/** Returns what a text is by its format alone; null if it is not a secret of ours. */
export function secretFormOf(text: string): SecretForm | 'derived' | null {
  const prefix = anySecretShape.exec(text)?.[1];
  if (prefix === undefined) return isDerived(text) ? 'derived' : null;
  const [, word, mark] = prefix.split('_');
  if (word === 'mgmt') return 'management';
  return mark === 'c' ? 'client' : 'issued';
}

const clientPrefix = new RegExp(`^${prefixPattern('client')}$`);

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
  // At most as long as a presented key.
  return `(?:${keyPattern(tag)}|${derivedStart(tag)}[\\w-]{100,990})`;
}

/** Like `secretPattern`, without derived tokens. */
export function keyPattern(tag = anyTag): string {
  return patternOf(tag, allForms, prefixCharacters, randomCharacters + checksumCharacters);
}

/** Returns an expression, without groups, for the start of a derived token. */
export function derivedStart(tag = anyTag): string {
  return `${tag}_(?:live|test)_d_`;
}

/** Returns an expression, without groups, for the prefixes of some forms; of every form by default. */
export function prefixPattern(...forms: readonly SecretForm[]): string {
  return patternOf(anyTag, forms, prefixCharacters);
}

/** Returns an expression, without groups, for what is before the random part of some forms; of every form by default. */
export function startPattern(...forms: readonly SecretForm[]): string {
  return `${patternOf(anyTag, forms)}_`;
}

function patternOf(tag: string, forms: readonly SecretForm[], ...lengths: readonly number[]): string {
  const some = (forms.length === 0 ? allForms : forms).map((form) => words[form]);
  const named = some.length === 1 ? some[0] : `(?:${some.join('|')})`;
  return [tag, named, ...lengths.map((length) => `${base62}{${length}}`)].join('_');
}
