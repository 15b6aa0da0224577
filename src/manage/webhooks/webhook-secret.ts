import type { KeyRing } from '../../domain/secret/key-ring.ts';
import {
  mintWebhookSecret,
  openWebhookSecret,
  sealWebhookSecret,
  verificationKeyOf,
} from '../../domain/webhook/signature.ts';
import type { Webhook } from '../../domain/webhook/webhook.ts';
import type { Management } from '../management.ts';

export interface WebhookWithSecret {
  readonly webhook: Webhook;
  /** What the receiver verifies with: `whsec_…`, which is stored only encrypted, or the public key `whpk_…`. */
  readonly secret: string;
}

/** Gives an endpoint a new secret, whose version is `secretVersion`. */
export function withNewSecret(
  { signingKeks, randomBytes }: Management,
  webhook: Omit<Webhook, 'secretEnvelope'>,
): WebhookWithSecret {
  const secret = mintWebhookSecret(webhook.signature, randomBytes);
  const owner = { webhookId: webhook.id, version: webhook.secretVersion };
  const secretEnvelope = sealWebhookSecret(secret, owner, signingKeks, randomBytes);
  return { webhook: { ...webhook, secretEnvelope }, secret: verificationKeyOf(secret) };
}

/** Returns the key with which receivers verify; null if it is a secret, which is never shown again. */
export function publicKeyOf(signingKeks: KeyRing, webhook: Webhook): string | null {
  if (webhook.signature !== 'V1A') return null;
  const owner = { webhookId: webhook.id, version: webhook.secretVersion };
  return verificationKeyOf(openWebhookSecret(webhook.secretEnvelope, webhook.signature, owner, signingKeks));
}
