import type { IncomingHttpHeaders } from 'node:http';
import { LatchkeyError } from '../../domain/errors.ts';
import type { AcceptedTokens } from '../../lib/accepted-tokens.ts';

/** Returns the verifier token of a caller whose Authorization header contains a key. */
export function verifierToken({ 'x-latchkey-verifier': token }: IncomingHttpHeaders): string | undefined {
  return typeof token === 'string' ? token : undefined;
}

const expected = {
  verifier: 'A verifier token is needed here, one of VERIFIER_TOKENS or FEED_TOKENS.',
  edge: 'A token of an edge is needed here, one of FEED_TOKENS.',
};

/** Throws UNAUTHENTICATED if the token is not accepted. `tokens` is null if the port needs no token. */
export function checkToken(tokens: AcceptedTokens | null, token: string | undefined, of: keyof typeof expected): void {
  if (tokens !== null && !tokens.has(token)) throw new LatchkeyError('UNAUTHENTICATED', expected[of]);
}
