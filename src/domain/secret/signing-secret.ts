import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { KeyRing } from './key-ring.ts';
import type { RandomBytes } from './secret.ts';

/**
 * The owner of a signing secret. The secret is encrypted, not hashed, because verifying a signature needs it.
 * AES-256-GCM binds it to owner and purpose: an envelope copied to another row, or an old one put back, does not open.
 */
export interface SigningSecretOwner {
  readonly keyId: string;
  /** Counts the signing secrets issued for the key, so that each has different additional data. */
  readonly version: number;
}

const [secretBytes, ivBytes, tagBytes] = [32, 12, 16];

export function mintSigningSecret(randomBytes: RandomBytes): Buffer {
  return randomBytes(secretBytes);
}

/** Returns `<id of the key-encryption key>.<base64url of IV, ciphertext and tag>`. */
export function sealSigningSecret(
  secret: Buffer,
  owner: SigningSecretOwner,
  keks: KeyRing,
  randomBytes: RandomBytes,
): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv('aes-256-gcm', keks.current.bytes, iv);
  cipher.setAAD(additionalData(owner));
  const sealed = Buffer.concat([iv, cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
  return `${keks.current.id}.${sealed.toString('base64url')}`;
}

export function kekIdOf(envelope: string): string {
  return envelope.split('.', 1)[0] ?? '';
}

/** Throws if the envelope needs an unknown key, belongs to another owner or was tampered with. */
export function openSigningSecret(envelope: string, owner: SigningSecretOwner, keks: KeyRing): Buffer {
  const kekId = kekIdOf(envelope);
  const kek = keks.byId.get(kekId);
  if (kek === undefined)
    throw new Error(`the signing secret of key ${owner.keyId} needs the key-encryption key ${kekId}`);
  const sealed = Buffer.from(envelope.slice(kekId.length + 1), 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', kek.bytes, sealed.subarray(0, ivBytes), { authTagLength: tagBytes });
  decipher.setAAD(additionalData(owner));
  decipher.setAuthTag(sealed.subarray(-tagBytes));
  return Buffer.concat([decipher.update(sealed.subarray(ivBytes, -tagBytes)), decipher.final()]);
}

function additionalData(owner: SigningSecretOwner): Buffer {
  return Buffer.from(JSON.stringify([owner.keyId, owner.version, 'request-signing']));
}
