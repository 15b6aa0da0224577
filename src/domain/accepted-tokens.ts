import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { LatchkeyError } from '../domain/errors.ts';

/** The tokens from the configuration that authorize calls to a port. They are compared in constant time. */
export class AcceptedTokens {
  readonly #digests: readonly Buffer[];

  constructor(tokens: readonly string[]) {
    this.#digests = tokens.map(digest);
  }

  has(token: string | undefined): boolean {
    if (token === undefined) return false;
    const presented = digest(token);
    return this.#digests.reduce((found, known) => timingSafeEqual(known, presented) || found, false);
  }
}

/** The token of a caller whose Authorization header contains a key. */
export function verifierToken({ 'x-latchkey-verifier': token }: IncomingHttpHeaders): string | undefined {
  return typeof token === 'string' ? token : undefined;
}

export function checkToken(tokens: VerifierTokens, token: string | undefined): void {
  if (!tokens.has(token)) {
    throw new LatchkeyError('UNAUTHENTICATED', 'A verifier token is needed here, one of VERIFIER_TOKENS.');
  }
}

function digest(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
