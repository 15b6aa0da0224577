/** Checks a session token in the browser. Only the server can verify the signature. */
import { limits } from '../../domain/limits.ts';
import { formatNumber } from '../components/format.ts';

/** Returns the token from a pasted text, which can be a token, an Authorization header or a whole sign-in link. */
export function tokenIn(pasted: string): string {
  const text = pasted.trim();
  const linked = /#token=([^\s&]*)$/.exec(text)?.[1];
  return linked ?? text.replace(/^(?:authorization: *)?bearer +/i, '');
}

/** Checks only the format. The server decides whether a token has expired, because the browser's clock may be wrong. */
export function problemOfToken(text: string): string | null {
  if (text === '') return 'Paste a session token.';
  if (/^[a-z0-9]+_(?:live|test)_/i.test(text)) return 'This is an API key. The dashboard needs a session token, a JWT.';
  if (text.length > limits.sessionTokenCharacters) {
    return `This token has ${formatNumber(text.length)} characters, and at most ${formatNumber(limits.sessionTokenCharacters)} are accepted. Ask for one that names fewer teams.`;
  }
  if (!isJwt(text)) return 'This is malformed: a session token is a JWT, three parts joined by dots.';
  return null;
}

function isJwt(text: string): boolean {
  const parts = text.split('.');
  if (parts.length !== 3 || parts.some((part) => !/^[\w-]+$/.test(part))) return false;
  try {
    const claims: unknown = JSON.parse(atob((parts[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')));
    return typeof claims === 'object' && claims !== null;
  } catch {
    return false;
  }
}
