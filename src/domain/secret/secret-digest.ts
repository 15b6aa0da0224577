import { createHmac, hash } from 'node:crypto';
import { hmacKey } from './hmac-key.ts';
import { type ImportedDigest, importedDigestAlgorithms } from './imported-digest.ts';
import type { KeyRing, RingKey } from './key-ring.ts';
import { hasSecretShape } from './secret.ts';

/**
 * Not a slow hash: the input has 256 bits of entropy, and attackers could use up the CPU. Without the pepper, a stolen
 * table can't confirm a found key.
 */
export function digestSecret(secret: string, pepper: RingKey): string {
  return createHmac('sha256', hmacKey(pepper.bytes)).update(secret).digest('base64url');
}

/** A presented key is hashed twice, so that a digest stolen where the key comes from is not accepted as a key. */
export function digestImported({ algorithm, bytes }: ImportedDigest, pepper: RingKey): string {
  return createHmac('sha256', hmacKey(pepper.bytes)).update(`imported ${algorithm} `).update(bytes).digest('base64url');
}

/**
 * Returns the digests under every pepper: only the key that is found tells which one applies. A text in our own format
 * never matches imported keys; otherwise an import could restore a revoked key.
 */
export function digestsOf(secret: string, peppers: KeyRing): string[] {
  if (hasSecretShape(secret)) return [...peppers.byId.values()].map((pepper) => digestSecret(secret, pepper));
  return importedDigestAlgorithms.flatMap((algorithm) =>
    importedDigestsOf({ algorithm, bytes: hash(algorithm, secret, 'buffer') }, peppers),
  );
}

export function importedDigestsOf(digest: ImportedDigest, peppers: KeyRing): string[] {
  return [...peppers.byId.values()].map((pepper) => digestImported(digest, pepper));
}
