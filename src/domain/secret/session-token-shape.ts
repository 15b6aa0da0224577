/** The format of a JWT (RFC 7519): two JSON objects, whose base64url starts with `eyJ`, and a signature. */
const jwt = /^eyJ[\w-]*\.eyJ[\w-]*\.[\w-]*$/;

/** Returns whether a text looks like a session token. Imported keys may look the same. */
export function looksLikeSessionToken(text: string): boolean {
  return text.startsWith('eyJ') && jwt.test(text);
}

export const sessionTokenHint =
  'This is a session token, for the management port, and not a key. Present the secret of a key.';
