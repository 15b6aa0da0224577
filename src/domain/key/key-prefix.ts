/** The leading part of a key, which is safe to show and to log. An imported key can have a shorter or longer prefix. */
export const prefixShape = /^[a-z][a-z0-9]{0,15}_(live|test)_[0-9A-Za-z]{4,16}$/;

/** The beginning of a prefix, and so of a key. */
export const prefixStart = /^[a-z][a-z0-9]{0,15}_(?:live|test)_/;

export function isPrefix(text: string): boolean {
  return prefixShape.test(text);
}
