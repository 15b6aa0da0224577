import { z } from 'zod';
import type { KeyRing } from '../../domain/secret/key-ring.ts';
import { SealedClaims } from '../sealed-claims.ts';
import type { SignInChecks } from './identity-provider.ts';

/** A sign-in that a browser has started, in a cookie of this browser until the provider sends it back. */
export interface StartedSignIn extends SignInChecks {
  /** The path of the dashboard, after `#`, to return to. */
  readonly returnTo: string;
  readonly expiresAt: number;
}

const contents = z.object({
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  returnTo: z.string(),
  expiresAt: z.number(),
});

export class SignInSeal {
  readonly #claims: SealedClaims;

  constructor(ring: KeyRing) {
    this.#claims = new SealedClaims(ring, 'latchkey sign-in 1');
  }

  async seal(started: StartedSignIn): Promise<string> {
    return await this.#claims.seal(started);
  }

  async open(text: string): Promise<StartedSignIn | null> {
    return contents.safeParse(await this.#claims.open(text)).data ?? null;
  }
}
