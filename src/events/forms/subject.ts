import type { LatchkeyEvent } from '../../domain/event/event.ts';

export interface Subject {
  readonly kind: 'key' | 'webhook';
  readonly id: string;
  /** The name of a key, or null if the key was purged; the origin of the URL of a webhook. */
  readonly name: string | null;
}

/** Returns the key or webhook of an event; null if it has none. */
export function subjectOf({ data: { key, webhook } }: LatchkeyEvent): Subject | null {
  if (key !== null) return { kind: 'key', id: key.id, name: key.name };
  return isWebhook(webhook) ? { kind: 'webhook', id: webhook.id, name: webhook.origin } : null;
}

function isWebhook(value: unknown): value is { readonly id: string; readonly origin: string } {
  return typeof value === 'object' && value !== null && 'id' in value && 'origin' in value;
}
