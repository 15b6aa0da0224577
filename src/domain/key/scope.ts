/** The scopes of a key say what the key may be used for. The API that the key protects defines their names. */
import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';
import { limits } from '../limits.ts';

/** A scope-token of RFC 6749, section 3.3: visible ASCII characters without the quotation mark and the backslash. */
const scopeToken = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

export function parseScope(text: string): Parsed<string> {
  return text.length <= limits.scopeCharacters && scopeToken.test(text)
    ? accepted(text)
    : rejected(
        `must have 1 to ${limits.scopeCharacters} visible ASCII characters, without spaces, quotation marks and backslashes`,
      );
}

export function hasScopes(granted: readonly string[], required: readonly string[]): boolean {
  return required.every((scope) => granted.includes(scope));
}
