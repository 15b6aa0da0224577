import { hash, timingSafeEqual } from 'node:crypto';

/** Who may ask for verdicts, where not only this machine can: bearer tokens, compared in constant time. */
export class VerifierTokens {
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

function digest(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
