/** The rules of the fields of an endpoint. */
import { type EventType, eventTypes, isEventType } from '../../domain/event/event-types.ts';
import { settings } from '../../domain/key/settings.ts';
import { parsedList, type Results } from '../../domain/parse-fields.ts';
import type { AllowedNetwork } from '../../domain/source/allowed-source.ts';
import type { EventForm } from '../../domain/webhook/webhook.ts';
import { parseWebhookUrl } from '../../domain/webhook/webhook-url.ts';
import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';

export interface WebhookFieldsInput {
  readonly url?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly types?: readonly string[] | null | undefined;
  readonly form?: EventForm | null | undefined;
}

/** Parses the names of types, of which a list has each once. */
export function parseTypes(types: readonly string[]) {
  const parsed = parsedList(types, eventTypes.length, (type): Parsed<EventType> => {
    return isEventType(type) ? accepted(type) : rejected('must be the name of a type of events, such as key.created');
  });
  return parsed.ok ? accepted([...new Set(parsed.value)]) : parsed;
}

/** Parses the given fields of a change. Only the description can be null. */
export function parseChangedWebhook(
  { url, description, types, form }: WebhookFieldsInput,
  allowedNetworks: readonly AllowedNetwork[],
) {
  return {
    ...(url === undefined ? {} : { url: notNull(url, (text) => parseWebhookUrl(text, allowedNetworks)) }),
    ...(description === undefined
      ? {}
      : { description: description === null ? accepted(null) : settings.description.parse(description) }),
    ...(types === undefined ? {} : { types: notNull(types, parseTypes) }),
    ...(form === undefined ? {} : { form: notNull(form, accepted<EventForm>) }),
  } satisfies Results;
}

/** Parses the fields of a new endpoint, of which null means the default. */
export function parseNewWebhook(
  { url, description, types, form }: WebhookFieldsInput & { readonly url: string },
  allowedNetworks: readonly AllowedNetwork[],
) {
  return {
    url: parseWebhookUrl(url, allowedNetworks),
    description: description == null ? accepted(null) : settings.description.parse(description),
    types: parseTypes(types ?? []),
    form: accepted<EventForm>(form ?? 'STANDARD'),
  };
}

export function notNull<Value, R>(value: Value | null, parse: (value: Value) => R) {
  return value === null ? rejected('must not be null') : parse(value);
}
