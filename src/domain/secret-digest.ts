import { createHmac, hash } from 'node:crypto';
import { type ImportedDigest, importedDigestAlgorithms } from './imported-digest.ts';
import type { KeyRing, RingKey } from './key-ring.ts';
import { hasSecretShape } from './secret.ts';

/**
 * What is stored of a secret. No slow hash: the input has 256 bits of entropy, so there is nothing to guess, and a slow
 * hash would hand attackers a lever on our CPU. The pepper makes a stolen table useless for confirming a found key.
 */
export function digestSecret(secret: string, pepper: RingKey): string {
  return createHmac('sha256', pepper.bytes).update(secret).digest('base64url');
}

/**
 * What is stored of a key that came as a digest. What is presented is digested twice, so that nobody gets in with
 * a digest that was stolen from the system the key comes from.
 */
export function digestImported({ algorithm, bytes }: ImportedDigest, pepper: RingKey): string {
  return createHmac('sha256', pepper.bytes).update(`imported ${algorithm} `).update(bytes).digest('base64url');
}

/**
 * Under every pepper: which of them a key was made with is known only when it is found. What has the form of our keys
 * is never looked for among the imported ones: else whoever came across a revoked key of ours could import it anew.
 */
export function digestsOf(secret: string, peppers: KeyRing): string[] {
  if (hasSecretShape(secret)) return [...peppers.byId.values()].map((pepper) => digestSecret(secret, pepper));
  return importedDigestAlgorithms.flatMap((algorithm) =>
    importedDigestsOf({ algorithm, bytes: hash(algorithm, secret, 'buffer') }, peppers),
  );
}

/** Under every pepper. */
export function importedDigestsOf(digest: ImportedDigest, peppers: KeyRing): string[] {
  return [...peppers.byId.values()].map((pepper) => digestImported(digest, pepper));
}
