/** What a browser can tell of a session token by looking at it. Whether it is genuine, only the server knows. */

/** Null when nothing is wrong with its looks. */
export function problemOfToken(text: string, now: Date): string | null {
  if (text === '') return 'Paste a session token.';
  if (/^[a-z0-9]+_(?:live|test)_/i.test(text)) return 'This is an API key. The dashboard needs a session token, a JWT.';
  const claims = claimsOf(text);
  if (claims === null) return 'This is malformed: a session token is a JWT, three parts joined by dots.';
  const expiry = expiryOf(text);
  if (expiry !== null && expiry <= now) return `This token expired on ${expiry.toLocaleString()}. Get a new one.`;
  return null;
}

/** The token's `exp`; null when it has none that can be read. */
export function expiryOf(token: string): Date | null {
  const seconds = claimsOf(token)?.exp;
  return typeof seconds === 'number' ? new Date(seconds * 1000) : null;
}

function claimsOf(token: string): { readonly exp?: unknown } | null {
  const parts = token.split('.');
  if (parts.length !== 3 || parts.some((part) => !/^[\w-]+$/.test(part))) return null;
  try {
    const claims: unknown = JSON.parse(atob((parts[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')));
    return typeof claims === 'object' && claims !== null ? claims : null;
  } catch {
    return null;
  }
}
