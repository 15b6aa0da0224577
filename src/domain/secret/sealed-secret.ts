import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { KeyRing } from './key-ring.ts';
import type { RandomBytes } from './secret.ts';

/** What a sealed secret is for, and what its owner is called in errors. Stored envelopes are bound to these names. */
const ownerNames = { 'request-signing': 'key', 'webhook-signing': 'webhook' } as const;

/**
 * The owner of a secret that is encrypted, not hashed, because it is needed again. AES-256-GCM binds it to all of this:
 * an envelope copied to another row, to another purpose, or an old one put back, does not open.
 */
export interface SealedSecretOwner {
  readonly purpose: keyof typeof ownerNames;
  /** The id of the row. */
  readonly id: string;
  /** Counts the secrets issued for the row, so that each has different additional data. */
  readonly version: number;
}

const [ivBytes, tagBytes] = [12, 16];

/** Returns `<id of the key-encryption key>.<base64url of IV, ciphertext and tag>`. */
export function sealSecret(secret: Buffer, owner: SealedSecretOwner, keks: KeyRing, randomBytes: RandomBytes): string {
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
export function openSecret(envelope: string, owner: SealedSecretOwner, keks: KeyRing): Buffer {
  const kekId = kekIdOf(envelope);
  const kek = keks.byId.get(kekId);
  if (kek === undefined) {
    throw new Error(
      `the signing secret of ${ownerNames[owner.purpose]} ${owner.id} needs the key-encryption key ${kekId}`,
    );
  }
  const sealed = Buffer.from(envelope.slice(kekId.length + 1), 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', kek.bytes, sealed.subarray(0, ivBytes), { authTagLength: tagBytes });
  decipher.setAAD(additionalData(owner));
  decipher.setAuthTag(sealed.subarray(-tagBytes));
  return Buffer.concat([decipher.update(sealed.subarray(ivBytes, -tagBytes)), decipher.final()]);
}

function additionalData({ purpose, id, version }: SealedSecretOwner): Buffer {
  return Buffer.from(JSON.stringify([id, version, purpose]));
}
