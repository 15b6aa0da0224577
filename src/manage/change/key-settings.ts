import type { KeySettings } from '../../domain/key/api-key.ts';
import { parseExpiry } from '../../domain/key/expiry.ts';
import { parseMetadata } from '../../domain/key/metadata.ts';
import { parseRateLimit } from '../../domain/key/rate-limit.ts';
import { parseScope } from '../../domain/key/scope.ts';
import { limits } from '../../domain/limits.ts';
import { parsedList, parseOptional, type Result } from '../../domain/parse-fields.ts';
import { parseAllowedSource } from '../../domain/source/allowed-source.ts';
import { parseLine } from '../../domain/text.ts';
import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';

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

/** Parses the settings of a new key, field by field. An absent or null field has its default: no restriction. */
export function parseNewSettings(input: KeySettingsInput & { readonly name: string }, now: Date) {
  return {
    name: parseName(input.name),
    allowedIps: parseAllowedIps(input.allowedIps ?? []),
    expiresAt: parseOptional(input.expiresAt, (moment) => parseExpiry(moment, now)),
    scopes: parseScopes(input.scopes ?? []),
    externalId: parseOptional(input.externalId, parseExternalId),
    tags: parseTags(input.tags ?? []),
    metadata: parseOptional(input.metadata, parseMetadata),
    rateLimit: parseOptional(input.rateLimit, parseRateLimit),
  } satisfies { readonly [Name in keyof KeySettings]: Result<KeySettings[Name]> };
}

/** Parses the settings to change, field by field. Absent fields stay as they are; null removes an optional one. */
export function parseChangedSettings(input: KeySettingsInput, now: Date) {
  const { name, allowedIps, expiresAt, scopes, externalId, tags, metadata, rateLimit } = input;
  return {
    ...(name === undefined ? {} : { name: required(name, parseName, keep('name')) }),
    ...(allowedIps === undefined
      ? {}
      : { allowedIps: required(allowedIps, parseAllowedIps, keep('list', 'allow every source')) }),
    ...(expiresAt === undefined ? {} : { expiresAt: parseOptional(expiresAt, (moment) => parseExpiry(moment, now)) }),
    ...(scopes === undefined ? {} : { scopes: required(scopes, parseScopes, keep('list', 'remove all scopes')) }),
    ...(externalId === undefined ? {} : { externalId: parseOptional(externalId, parseExternalId) }),
    ...(tags === undefined ? {} : { tags: required(tags, parseTags, keep('list', 'remove all tags')) }),
    ...(metadata === undefined ? {} : { metadata: parseOptional(metadata, parseMetadata) }),
    ...(rateLimit === undefined ? {} : { rateLimit: parseOptional(rateLimit, parseRateLimit) }),
  };
}

export function parseScopes(scopes: readonly string[]): Result<readonly string[]> {
  return parseDistinct(scopes, limits.scopes, parseScope);
}

export function parseTags(tags: readonly string[]): Result<readonly string[]> {
  return parseDistinct(tags, limits.tags, (tag) => parseLine(tag, limits.tagCharacters));
}

export function parseExternalId(text: string): Parsed<string> {
  return parseLine(text, limits.externalIdCharacters);
}

function parseName(name: string): Parsed<string> {
  return parseLine(name, limits.nameCharacters);
}

/** Validates the entries and returns them as they were written. They are parsed again where they are applied. */
export function parseAllowedIps(entries: readonly string[]): Result<readonly string[]> {
  const parsed = parsedList(entries, limits.allowedSources, parseAllowedSource);
  return parsed.ok ? accepted(entries) : parsed;
}

function parseDistinct(
  entries: readonly string[],
  max: number,
  parse: (text: string) => Parsed<string>,
): Result<readonly string[]> {
  const parsed = parsedList(entries, max, parse);
  if (!parsed.ok) return parsed;
  const { value } = parsed;
  return parsedList(value, max, (entry, i) =>
    value.indexOf(entry) < i ? rejected('must not be given twice') : accepted(entry),
  );
}

function required<V, T>(value: V | null, parse: (value: V) => Result<T>, message: string): Result<T> {
  return value === null ? rejected(`must not be null: ${message}`) : parse(value);
}

function keep(what: string, effectOfEmptyList?: string): string {
  const empty = effectOfEmptyList === undefined ? '' : `, or send [] to ${effectOfEmptyList}`;
  return `omit it to keep the current ${what}${empty}`;
}
