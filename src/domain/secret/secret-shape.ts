/** The format of the keys that Latchkey creates. Uses only web standards, because @latchkey/client contains this file. */

const anyTag = '[a-z][a-z0-9]{0,15}';
const base62 = '[0-9A-Za-z]';
const [randomCharacters, checksumCharacters] = [43, 6];

export const secretShape = new RegExp(
  `^(${prefixPattern(anyTag)})_${base62}{${randomCharacters}}(${base62}{${checksumCharacters}})$`,
);

/** The format of a tag. Keys with a tag in another format would not be recognized. */
export const tagShape = new RegExp(`^${anyTag}$`);

/** Checks the format without the checksum, so that it is fast enough for every verification. */
export function hasSecretShape(text: string): boolean {
  return secretShape.test(text);
}

/**
 * Returns an expression, without groups, for the keys with a tag; for keys with any tag by default. It has no boundaries:
 * what is around keys in files, such as `\u0022`, `%3D`, `KEY_` or `[31m`, ends with letters and digits too.
 */
export function secretPattern(tag = anyTag): string {
  return `${prefixPattern(tag)}_${base62}{${randomCharacters + checksumCharacters}}`;
}

function prefixPattern(tag: string): string {
  return `${tag}_(?:live|test)_${base62}{8}`;
}
