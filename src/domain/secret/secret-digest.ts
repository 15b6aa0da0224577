import { createHmac, hash } from 'node:crypto';
import { keyEnvs } from '../key/key-env.ts';
import { hmacKey } from './hmac-key.ts';
import { type ImportedDigest, importedDigestAlgorithms } from './imported-digest.ts';
import type { KeyRing, RingKey } from './key-ring.ts';
import { secretFormOf } from './secret-shape.ts';

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
 * Returns the HMAC of the SHA-256 of a secret that a client made. It contains what the secret begins with, so that a
 * secret with another tag or for another environment is not the key's.
 * @param start `<tag>_<env>`
 */
export function digestClientMade(sha256: Buffer, start: string, pepper: RingKey): string {
  return createHmac('sha256', hmacKey(pepper.bytes))
    .update(`client ${start} sha256 `)
    .update(sha256)
    .digest('base64url');
}

/**
 * Returns the digests under every pepper, because only the matching key tells which pepper applies. A text in the form of
 * the keys that Latchkey makes never matches a digest that a client computed; otherwise an import could restore a revoked
 * key.
 */
export function digestsOf(secret: string, peppers: KeyRing): string[] {
  const all = [...peppers.byId.values()];
  switch (secretFormOf(secret)) {
    case 'issued':
    case 'management':
      return all.map((pepper) => digestSecret(secret, pepper));
    case 'client': {
      const sha256 = hash('sha256', secret, 'buffer');
      const start = secret.split('_', 2).join('_');
      return all.map((pepper) => digestClientMade(sha256, start, pepper));
    }
    case 'derived':
      // It is no secret of a key, and no import is one.
      return [];
    default:
      return importedDigestAlgorithms.flatMap((algorithm) =>
        importedDigestsOf({ algorithm, bytes: hash(algorithm, secret, 'buffer') }, peppers),
      );
  }
}

/**
 * Returns every digest under which a key can have the SHA-256 of a secret that a client made: of either environment and
 * under any pepper, and those of an import.
 */
export function clientMadeDigestsOf(sha256: Buffer, tag: string, peppers: KeyRing): string[] {
  const all = [...peppers.byId.values()];
  const clientMade = keyEnvs.flatMap((env) => all.map((pepper) => digestClientMade(sha256, `${tag}_${env}`, pepper)));
  return [...clientMade, ...importedDigestsOf({ algorithm: 'sha256', bytes: sha256 }, peppers)];
}

export function importedDigestsOf(digest: ImportedDigest, peppers: KeyRing): string[] {
  return [...peppers.byId.values()].map((pepper) => digestImported(digest, pepper));
}
