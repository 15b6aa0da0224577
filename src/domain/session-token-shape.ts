/** Two JSON objects and a signature, each in base64url (RFC 7519): `eyJ` is how `{"` begins there. */
const jwt = /^eyJ[\w-]*\.eyJ[\w-]*\.[\w-]*$/;

/** Whether a text looks like a session token, which people present in the place of a key. An imported key may, too. */
export function looksLikeSessionToken(text: string): boolean {
  return text.startsWith('eyJ') && jwt.test(text);
}

/** What to tell whoever presented one as a key. */
export const sessionTokenHint =
  'This is a session token, for the management port, and not a key. Present the secret of a key.';
