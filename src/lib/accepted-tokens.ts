import { hash, timingSafeEqual } from 'node:crypto';

/** The tokens from the configuration that authorize calls to a port. They are compared in constant time. */
export class AcceptedTokens {
  readonly #digests: readonly Buffer[];

  constructor(tokens: readonly string[]) {
    this.#digests = tokens.map(digest);
  }

  has(token: string | undefined): boolean {
    if (token === undefined) return false;
    const tokenDigest = digest(token);
    return this.#digests.reduce((found, known) => timingSafeEqual(known, tokenDigest) || found, false);
  }
}

function digest(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
