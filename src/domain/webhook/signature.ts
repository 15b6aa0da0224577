/** Signatures by the Standard Webhooks specification: `v1` is HMAC-SHA-256, `v1a` is Ed25519. */
import { createHmac, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { hasPassed } from '../moment.ts';
import { hmacKey } from '../secret/hmac-key.ts';
import type { KeyRing } from '../secret/key-ring.ts';
import { openSecret, type SealedSecretOwner, sealSecret } from '../secret/sealed-secret.ts';
import type { RandomBytes } from '../secret/secret.ts';
import type { SignatureScheme, Webhook } from './webhook.ts';

export interface WebhookSecret {
  readonly signature: SignatureScheme;
  /** The 32 bytes of an HMAC key, or of an Ed25519 private key (RFC 8032, section 5.1.5). */
  readonly bytes: Buffer;
}

export function mintWebhookSecret(signature: SignatureScheme, randomBytes: RandomBytes): WebhookSecret {
  return { signature, bytes: randomBytes(32) };
}

/**
 * Returns what a receiver verifies signatures with: for `V1` the secret, `whsec_<base64>`; for `V1A` the public key,
 * `whpk_<base64>`, which is not a secret.
 */
export function verificationKeyOf({ signature, bytes }: WebhookSecret): string {
  if (signature === 'V1') return `whsec_${bytes.toString('base64')}`;
  const spki = createPublicKey(ed25519Key(bytes)).export({ format: 'der', type: 'spki' });
  return `whpk_${spki.subarray(-32).toString('base64')}`;
}

export interface WebhookMessage {
  /** The same for each attempt. Must have no dot, which separates the signed parts. */
  readonly id: string;
  /** When this attempt is sent, in seconds since 1970. */
  readonly timestampSeconds: number;
  readonly body: string;
}

/**
 * Returns the value of `webhook-signature`: a signature by each of the secrets. During the overlap after a rotation,
 * these are the current and the previous one.
 */
export function webhookSignature(message: WebhookMessage, secrets: readonly WebhookSecret[]): string {
  const { id, timestampSeconds, body } = message;
  if (id.includes('.')) throw new Error('the id of a webhook message must have no dot');
  const signed = Buffer.from(`${id}.${timestampSeconds}.${body}`);
  return secrets
    .map((secret) => `${secret.signature.toLowerCase()},${signatureOf(signed, secret).toString('base64')}`)
    .join(' ');
}

/** Returns the three headers of the specification. */
export function webhookHeaders(message: WebhookMessage, secrets: readonly WebhookSecret[]) {
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(message.timestampSeconds),
    'webhook-signature': webhookSignature(message, secrets),
  };
}

function signatureOf(signed: Buffer, { signature, bytes }: WebhookSecret): Buffer {
  if (signature === 'V1') return createHmac('sha256', hmacKey(bytes)).update(signed).digest();
  return sign(null, signed, ed25519Key(bytes));
}

/** The start of a PKCS #8 private key for Ed25519 (RFC 8410, section 7), which its 32 bytes follow. */
const pkcs8Start = Buffer.from('302e020100300506032b657004220420', 'hex');

function ed25519Key(bytes: Buffer): KeyObject {
  return createPrivateKey({ key: Buffer.concat([pkcs8Start, bytes]), format: 'der', type: 'pkcs8' });
}

export interface WebhookSecretOwner {
  readonly webhookId: string;
  /** Counts the secrets issued for the webhook. */
  readonly version: number;
}

/** Returns an envelope, see `sealSecret`. */
export function sealWebhookSecret(
  { bytes }: WebhookSecret,
  owner: WebhookSecretOwner,
  keks: KeyRing,
  randomBytes: RandomBytes,
): string {
  return sealSecret(bytes, sealedOwner(owner), keks, randomBytes);
}

/** Throws if the envelope needs an unknown key, belongs to another owner or was tampered with. */
export function openWebhookSecret(
  envelope: string,
  signature: SignatureScheme,
  owner: WebhookSecretOwner,
  keks: KeyRing,
): WebhookSecret {
  return { signature, bytes: openSecret(envelope, sealedOwner(owner), keks) };
}

/** Returns the secrets that sign now: the current one and, until its overlap ends, the previous one. */
export function activeSecretsOf(
  webhook: Pick<
    Webhook,
    'id' | 'signature' | 'secretEnvelope' | 'secretVersion' | 'previousSecretEnvelope' | 'previousSecretExpiresAt'
  >,
  keks: KeyRing,
  now: Date,
): readonly WebhookSecret[] {
  const { id: webhookId, signature, secretEnvelope, secretVersion: version } = webhook;
  const { previousSecretEnvelope: previous, previousSecretExpiresAt: endsAt } = webhook;
  const current = openWebhookSecret(secretEnvelope, signature, { webhookId, version }, keks);
  if (previous === null || endsAt === null || hasPassed(endsAt, now)) return [current];
  return [current, openWebhookSecret(previous, signature, { webhookId, version: version - 1 }, keks)];
}

function sealedOwner({ webhookId, version }: WebhookSecretOwner): SealedSecretOwner {
  return { purpose: 'webhook-signing', id: webhookId, version };
}
