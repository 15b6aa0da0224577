/** The tokens that workloads get in exchange: encrypted, so that every instance accepts them and none stores them. */
import { z } from 'zod';
import type { KeyRing } from '../domain/secret/key-ring.ts';
import { SealedClaims } from './sealed-claims.ts';

export interface ExchangedToken {
  readonly ruleId: string;
  readonly subject: string;
  readonly expiresAt: Date;
}

/** At most; never longer than the token that is exchanged. */
export const exchangedSeconds = 900;

const contents = z.object({ rule: z.string(), sub: z.string(), exp: z.number().transform((ms) => new Date(ms)) });

/** Returns whether a text has the form of such a token: the five parts of a JWE (RFC 7516, section 3.1). */
export function looksExchanged(text: string): boolean {
  return text.startsWith('eyJ') && text.split('.', 6).length === 5;
}

export class ExchangedTokens {
  readonly #claims: SealedClaims;

  constructor(ring: KeyRing) {
    this.#claims = new SealedClaims(ring, 'latchkey exchanged token 1');
  }

  async seal({ ruleId, subject, expiresAt }: ExchangedToken): Promise<string> {
    return await this.#claims.seal({ rule: ruleId, sub: subject, exp: expiresAt.getTime() });
  }

  /** Returns null for a text that no instance with these secrets wrote. Does not check the expiry. */
  async open(text: string): Promise<ExchangedToken | null> {
    const { success, data } = contents.safeParse(await this.#claims.open(text));
    return success ? { ruleId: data.rule, subject: data.sub, expiresAt: data.exp } : null;
  }
}
