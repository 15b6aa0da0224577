import { createHmac, hash } from 'node:crypto';
import { hmacKey } from './hmac-key.ts';
import { type ImportedDigest, importedDigestAlgorithms } from './imported-digest.ts';
import type { KeyRing, RingKey } from './key-ring.ts';
import { hasSecretShape } from './secret-shape.ts';

/**
 * Returns an HMAC. A slow hash would only help attackers to use up the CPU: the input has 256 bits of entropy. Without
 * the pepper, the thief of a table can't test whether a key found elsewhere is in the table.
 */
export function digestSecret(secret: string, pepper: RingKey): string {
  return createHmac('sha256', hmacKey(pepper.bytes)).update(secret).digest('base64url');
}

/** Returns the HMAC of a digest. A presented key is hashed first, so a stolen digest is not accepted as a key. */
export function digestImported({ algorithm, bytes }: ImportedDigest, pepper: RingKey): string {
  return createHmac('sha256', hmacKey(pepper.bytes)).update(`imported ${algorithm} `).update(bytes).digest('base64url');
}

/**
 * Returns the digests under every pepper, because only the matching key tells which pepper applies. A text in our own
 * format never matches imported keys; otherwise an import could restore a revoked key.
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
