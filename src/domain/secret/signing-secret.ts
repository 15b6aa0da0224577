import type { KeyRing } from './key-ring.ts';
import { openSecret, type SealedSecretOwner, sealSecret } from './sealed-secret.ts';
import type { RandomBytes } from './secret.ts';

/** The owner of a secret with which a key signs requests. */
export interface SigningSecretOwner {
  readonly keyId: string;
  /** Counts the signing secrets issued for the key. */
  readonly version: number;
}

const secretBytes = 32;

export function mintSigningSecret(randomBytes: RandomBytes): Buffer {
  return randomBytes(secretBytes);
}

/** Returns an envelope, see `sealSecret`. */
export function sealSigningSecret(
  secret: Buffer,
  owner: SigningSecretOwner,
  keks: KeyRing,
  randomBytes: RandomBytes,
): string {
  return sealSecret(secret, sealedOwner(owner), keks, randomBytes);
}

/** Throws if the envelope needs an unknown key, belongs to another owner or was tampered with. */
export function openSigningSecret(envelope: string, owner: SigningSecretOwner, keks: KeyRing): Buffer {
  return openSecret(envelope, sealedOwner(owner), keks);
}

function sealedOwner({ keyId, version }: SigningSecretOwner): SealedSecretOwner {
  return { purpose: 'request-signing', id: keyId, version };
}
