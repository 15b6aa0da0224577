/** Credentials for the management port, which callers present at the verification port by mistake. */
import { secretFormOf } from './secret-shape.ts';

/** The format of a JWT (RFC 7519): two JSON objects, whose base64url starts with `eyJ`, and a signature. */
const jwt = /^eyJ[\w-]*\.eyJ[\w-]*\.[\w-]*$/;

/** Returns whether a text looks like a session token. Imported keys may look the same. */
export function looksLikeSessionToken(text: string): boolean {
  return text.startsWith('eyJ') && jwt.test(text);
}

export const sessionTokenHint =
  'This is a session token, for the management port, and not a key. Present the secret of a key.';

export const managementKeyHint =
  'This is a management key, for the management port, and not a key of an API. Present the secret of a key.';

/** Returns what to tell the caller about a text that is not a key; null if it may be anything. */
export function hintAbout(text: string): string | null {
  if (looksLikeSessionToken(text)) return sessionTokenHint;
  return secretFormOf(text) === 'management' ? managementKeyHint : null;
}
