import { createHmac } from 'node:crypto';
import type { KeyRing, RingKey } from './key-ring.ts';

/**
 * What is stored of a secret. No slow hash: the input has 256 bits of entropy, so there is nothing to guess, and a slow
 * hash would hand attackers a lever on our CPU. The pepper makes a stolen table useless for confirming a found key.
 */
export function digestSecret(secret: string, pepper: RingKey): string {
  return createHmac('sha256', pepper.bytes).update(secret).digest('base64url');
}

/** Under every pepper: which of them a key was made with is known only when it is found. */
export function digestsOf(secret: string, peppers: KeyRing): string[] {
  return [...peppers.byId.values()].map((pepper) => digestSecret(secret, pepper));
}
