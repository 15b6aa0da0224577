import { isJsonObject, isStringList, type JsonObject } from '../../lib/json-object.ts';
import type { KeyEnv } from '../key/key-env.ts';
import { metadataProblem } from '../key/metadata.ts';

/** The fields of a key in a verdict. */
export interface VerifiedKey {
  readonly keyId: string;
  readonly teamId: string;
  readonly name: string;
  readonly env: KeyEnv;
  /** The first characters of the key, which are safe to log. Imported keys can have the same. */
  readonly prefix: string;
  /** ISO 8601; null when the key never expires. */
  readonly expiresAt: string | null;
  /** Whether the current secret of the key was presented, or one from before the last rotation. */
  readonly secret: 'current' | 'previous';
  readonly scopes: readonly string[];
  /** The team's own id for the customer or service that the key belongs to. */
  readonly externalId: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

/** The fields of a verdict whose key may be unknown, or must not be disclosed. */
export type PartialKey = {
  readonly [Field in Exclude<keyof VerifiedKey, 'scopes'>]: VerifiedKey[Field] | null;
} & Pick<VerifiedKey, 'scopes'>;

/** What a verdict has of a key that is unknown. */
export const unknownKey: PartialKey = Object.freeze({
  keyId: null,
  teamId: null,
  name: null,
  env: null,
  prefix: null,
  expiresAt: null,
  secret: null,
  scopes: Object.freeze([]),
  externalId: null,
  metadata: null,
});

const isText = (value: unknown) => typeof value === 'string';

type Check = (value: unknown) => boolean;

/** Checks whether a value from another process is valid for the field. */
const checkOf: { readonly [Field in keyof VerifiedKey]: Check } = {
  keyId: isText,
  teamId: isText,
  name: isText,
  env: (value) => value === 'live' || value === 'test',
  prefix: isText,
  expiresAt: (value) => value === null || (typeof value === 'string' && !Number.isNaN(Date.parse(value))),
  secret: (value) => value === 'current' || value === 'previous',
  scopes: isStringList,
  externalId: (value) => value === null || isText(value),
  // Limits the nesting of the value, which could otherwise exceed the stack of recursive functions.
  metadata: (value) => value === null || (isJsonObject(value) && metadataProblem(value) === null),
};

const checks: readonly (readonly [string, Check])[] = Object.entries(checkOf);

export function isVerifiedKey(value: JsonObject): value is JsonObject & VerifiedKey {
  return checks.every(([field, isValid]) => isValid(value[field]));
}

export function isPartialKey(value: JsonObject): value is JsonObject & PartialKey {
  return checks.every(([field, isValid]) => (value[field] === null && field !== 'scopes') || isValid(value[field]));
}

/** Returns only the fields of `VerifiedKey`, in the order in which answers have them. */
export function verifiedFields<Key extends PartialKey>(key: Key): Pick<Key, keyof VerifiedKey> {
  const { keyId, teamId, name, env, prefix, expiresAt, secret, scopes, externalId, metadata } = key;
  return { keyId, teamId, name, env, prefix, expiresAt, secret, scopes, externalId, metadata };
}
