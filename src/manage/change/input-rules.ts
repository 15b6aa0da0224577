/**
 * The rules of input objects, for operations that are rejected because a field has the wrong type. The error also names
 * the fields that break a rule, so that the caller can correct all fields at once.
 */
import { parseLimit, parseWindowSeconds, type RateLimit } from '../../domain/key/rate-limit.ts';
import { parseChangedSettings } from '../../domain/key/settings.ts';
import type { Results } from '../../domain/parse-fields.ts';
import { parseImportedDigest } from '../../domain/secret/imported-digest.ts';
import { parseImportedPrefix } from '../../domain/secret/secret.ts';
import type { ImportKeyInput } from './import-keys.ts';

/** The fields of an input object that have the right type. */
type Given = { readonly [Name in keyof (ImportKeyInput & RateLimit)]?: (ImportKeyInput & RateLimit)[Name] };
type Rules = (given: Given, now: Date) => Results;

const rules: Readonly<Record<string, Rules>> = {
  CreateKeyInput: newSettings,
  UpdateKeyInput: parseChangedSettings,
  ImportKeyInput: (given, now) => ({ ...newSettings(given, now), ...importedFields(given) }),
  RateLimitInput: ({ limit, windowSeconds }) => ({
    ...(limit === undefined ? {} : { limit: parseLimit(limit) }),
    ...(windowSeconds === undefined ? {} : { windowSeconds: parseWindowSeconds(windowSeconds) }),
  }),
};

/** Checks the given fields, which already have the types of the schema, against the rules of their input object. */
export function applyRules(inputType: string, given: Readonly<Record<string, unknown>>, now: Date): Results {
  return rules[inputType]?.(given as Given, now) ?? {};
}

/** Omits null settings: for a new key, null means the default. */
function newSettings(given: Given, now: Date): Results {
  return parseChangedSettings(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)), now);
}

function importedFields({ digest, prefix, env }: Given): Results {
  return {
    ...(digest === undefined ? {} : { digest: parseImportedDigest(digest) }),
    // The prefix of a key names its environment.
    ...(prefix == null || env === undefined ? {} : { prefix: parseImportedPrefix(prefix, env) }),
  };
}
