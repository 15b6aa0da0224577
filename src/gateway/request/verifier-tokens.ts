import type { IncomingHttpHeaders } from 'node:http';
import { LatchkeyError } from '../../domain/errors.ts';
import type { AcceptedTokens } from '../../lib/accepted-tokens.ts';

/** The token of a caller whose Authorization header contains a key. */
export function verifierToken({ 'x-latchkey-verifier': token }: IncomingHttpHeaders): string | undefined {
  return typeof token === 'string' ? token : undefined;
}

export function checkToken(tokens: AcceptedTokens, token: string | undefined): void {
  if (!tokens.has(token)) {
    throw new LatchkeyError(
      'UNAUTHENTICATED',
      'A verifier token is needed here, one of VERIFIER_TOKENS or FEED_TOKENS.',
    );
  }
}
