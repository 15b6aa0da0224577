import type { KeySettings } from '../domain/api-key.ts';
import type { Fields } from './fields.ts';

/** The settings of a key as a caller sends them. `unknown` is any JSON value. */
export interface KeySettingsInput {
  readonly name?: string | null | undefined;
  readonly allowedIps?: readonly string[] | null | undefined;
  readonly expiresAt?: Date | null | undefined;
  readonly scopes?: readonly string[] | null | undefined;
  readonly externalId?: string | null | undefined;
  readonly tags?: readonly string[] | null | undefined;
  readonly metadata?: unknown;
  readonly rateLimit?: { readonly limit: number; readonly windowSeconds: number } | null | undefined;
}

/** Parses the settings of a new key. An absent or null field has its default: no restriction. */
export function parseNewSettings(
  fields: Fields,
  input: KeySettingsInput & { readonly name: string },
  now: Date,
): KeySettings {
  return {
    name: fields.name(input.name),
    allowedIps: fields.allowedIps(input.allowedIps ?? []),
    expiresAt: fields.expiry(input.expiresAt ?? null, now),
    scopes: fields.scopes(input.scopes ?? []),
    externalId: fields.externalId(input.externalId ?? null),
    tags: fields.tags(input.tags ?? []),
    metadata: fields.metadata(input.metadata ?? null),
    rateLimit: fields.rateLimit(input.rateLimit ?? null),
  };
}

/** The settings that can't be removed, only replaced. */
const notNull: Readonly<Record<string, string>> = {
  name: 'must not be null: omit it to keep the current name',
  allowedIps: 'must not be null: omit it to keep the current list, or send [] to allow every source',
  scopes: 'must not be null: omit it to keep the current list, or send [] to remove all scopes',
  tags: 'must not be null: omit it to keep the current list, or send [] to remove all tags',
};

/** Parses the settings to change. Absent fields stay as they are; null removes an optional one. */
export function parseChangedSettings(fields: Fields, input: KeySettingsInput, now: Date): Partial<KeySettings> {
  const { name, allowedIps, expiresAt, scopes, externalId, tags, metadata, rateLimit } = input;
  for (const [field, value] of Object.entries({ name, allowedIps, scopes, tags })) {
    if (value === null) fields.reject(field, notNull[field] ?? 'must not be null');
  }
  return {
    ...(name == null ? {} : { name: fields.name(name) }),
    ...(allowedIps == null ? {} : { allowedIps: fields.allowedIps(allowedIps) }),
    ...(expiresAt === undefined ? {} : { expiresAt: fields.expiry(expiresAt, now) }),
    ...(scopes == null ? {} : { scopes: fields.scopes(scopes) }),
    ...(externalId === undefined ? {} : { externalId: fields.externalId(externalId) }),
    ...(tags == null ? {} : { tags: fields.tags(tags) }),
    ...(metadata === undefined ? {} : { metadata: fields.metadata(metadata) }),
    ...(rateLimit === undefined ? {} : { rateLimit: fields.rateLimit(rateLimit) }),
  };
}
