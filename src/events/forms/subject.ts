import type { LatchkeyEvent } from '../../domain/event/event.ts';

export interface Subject {
  readonly kind: 'key' | 'webhook';
  readonly id: string;
  /** Its name for people: the origin of the URL of a webhook. Null for a purged key. */
  readonly name: string | null;
}

/** Returns the key or webhook that an event is about. Null if there is none. */
export function subjectOf({ data: { key, webhook } }: LatchkeyEvent): Subject | null {
  if (key !== null) return { kind: 'key', id: key.id, name: key.name };
  return isWebhook(webhook) ? { kind: 'webhook', id: webhook.id, name: webhook.origin } : null;
}

function isWebhook(value: unknown): value is { readonly id: string; readonly origin: string } {
  return typeof value === 'object' && value !== null && 'id' in value && 'origin' in value;
}
