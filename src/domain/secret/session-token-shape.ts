/** Two JSON objects and a signature, each in base64url (RFC 7519): `eyJ` is how `{"` begins there. */
const jwt = /^eyJ[\w-]*\.eyJ[\w-]*\.[\w-]*$/;

/** Returns whether a text looks like a session token. Imported keys may look the same. */
export function looksLikeSessionToken(text: string): boolean {
  return text.startsWith('eyJ') && jwt.test(text);
}

/** The hint for a client that presents a session token as a key. */
export const sessionTokenHint =
  'This is a session token, for the management port, and not a key. Present the secret of a key.';
