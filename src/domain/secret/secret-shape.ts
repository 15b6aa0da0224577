/** The format of the keys that Latchkey creates. Uses only web standards, because @latchkey/client contains this file. */

export const secretShape = /^([a-z][a-z0-9]{0,15}_(?:live|test)_[0-9A-Za-z]{8})_[0-9A-Za-z]{43}([0-9A-Za-z]{6})$/;

/** The format of a tag. Keys with a tag in another format would not be recognized. */
export const tagShape = /^[a-z][a-z0-9]{0,15}$/;

/** Checks the format without the checksum, so that it is fast enough for every verification. */
export function hasSecretShape(text: string): boolean {
  return secretShape.test(text);
}
