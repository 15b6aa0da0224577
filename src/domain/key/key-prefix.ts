import { startPattern } from '../secret/secret-shape.ts';

/** The beginning of a prefix, and so of a key, of the forms that Latchkey knows. */
export const prefixStart = new RegExp(`^${startPattern()}`);

/**
 * The leading part of a key, which is safe to show and to log: of the form that Latchkey creates, or that of an imported
 * key, which can have any form.
 */
export const prefixShape = new RegExp(`^(?:${startPattern()}[0-9A-Za-z]{4,16}|[!-~]{4,24})$`);

export function isPrefix(text: string): boolean {
  return prefixShape.test(text);
}
