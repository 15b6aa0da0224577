import type { AuditEntry } from '../../domain/audit-entry.ts';
import { type EventKey, eventOf, type LatchkeyEvent } from '../../domain/event/event.ts';
import type { OpaqueRevisions } from '../../domain/opaque-revisions.ts';
import type { KeyRing } from '../../domain/secret/key-ring.ts';
import { activeSecretsOf, webhookHeaders } from '../../domain/webhook/signature.ts';
import type { Webhook } from '../../domain/webhook/webhook.ts';
import type { Store } from '../../store/store.ts';
import type { Form } from '../forms/forms.ts';
import type { WebhookRequest } from '../sender/webhook-sender.ts';

export interface OutgoingOptions {
  readonly store: Pick<Store, 'auditLog' | 'keys'>;
  readonly forms: Readonly<Record<Webhook['form'], Form>>;
  readonly revisions: OpaqueRevisions;
  readonly signingKeks: KeyRing;
}

/** Makes the requests that endpoints get. */
export class OutgoingEvents {
  readonly #options: OutgoingOptions;

  constructor(options: OutgoingOptions) {
    this.#options = options;
  }

  /** Reads events with their keys as they are now, by revision. An event that was purged is missing. */
  async read(revisions: readonly bigint[]): Promise<ReadonlyMap<bigint, OutgoingEvent>> {
    const { store } = this.#options;
    const entries = await store.auditLog.find(revisions);
    const keys = await store.keys.forEvents([...new Set(entries.map(({ keyId }) => keyId))]);
    return new Map(entries.map((entry) => [entry.revision, this.#outgoing(entry, keys.get(entry.keyId) ?? null)]));
  }

  #outgoing(entry: AuditEntry, key: EventKey | null): OutgoingEvent {
    return new OutgoingEvent(() => eventOf(entry, key, this.#options.revisions));
  }

  request(webhook: Webhook, outgoing: OutgoingEvent, now: Date): WebhookRequest {
    const { forms, signingKeks } = this.#options;
    const form = forms[webhook.form];
    const body = outgoing.body(form);
    const message = { id: outgoing.event.id, timestampSeconds: Math.floor(now.getTime() / 1000), body };
    const headers = webhookHeaders(message, activeSecretsOf(webhook, signingKeks, now));
    return {
      url: webhook.url,
      teamId: webhook.teamId,
      headers: { 'content-type': form.contentType, ...headers },
      body,
    };
  }
}

/** An event, written once in each form that one of its endpoints wants. */
export class OutgoingEvent {
  readonly #make: () => LatchkeyEvent;
  #event: LatchkeyEvent | null = null;
  readonly #bodies = new Map<Form, string>();

  constructor(make: () => LatchkeyEvent) {
    this.#make = make;
  }

  get event(): LatchkeyEvent {
    this.#event ??= this.#make();
    return this.#event;
  }

  body(form: Form): string {
    const written = this.#bodies.get(form) ?? form.body(this.event);
    this.#bodies.set(form, written);
    return written;
  }
}
