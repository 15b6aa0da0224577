/**
 * The rules of input objects, for operations that are rejected because a field has the wrong type. The error also names
 * the fields that break a rule, so that the caller can correct all fields at once.
 */
import { parseLimit, parseWindowSeconds, type RateLimit } from '../domain/key/rate-limit.ts';
import { parseChangedSettings } from '../domain/key/settings.ts';
import type { Results } from '../domain/parse-fields.ts';
import { parseImportedDigest } from '../domain/secret/imported-digest.ts';
import { parseImportedPrefix } from '../domain/secret/secret.ts';
import type { AllowedNetwork } from '../domain/source/allowed-source.ts';
import type { ImportKeyInput } from '../manage/change/import-keys.ts';
import { parseChangedWebhook, type WebhookFieldsInput } from '../manage/webhooks/webhook-fields.ts';

type KeyInput = ImportKeyInput & RateLimit;
/** The fields of an input object that have the right type. */
type Given = { readonly [Name in keyof KeyInput]?: KeyInput[Name] } & WebhookFieldsInput;
type Rules = (given: Given, context: RuleContext) => Results;

/** What rules depend on besides the input. */
export interface RuleContext {
  readonly now: Date;
  readonly webhookNetworks: readonly AllowedNetwork[];
}

const rules: Readonly<Record<string, Rules>> = {
  CreateKeyInput: newSettings,
  UpdateKeyInput: (given, { now }) => parseChangedSettings(given, now),
  ImportKeyInput: (given, context) => ({ ...newSettings(given, context), ...importedFields(given) }),
  CreateWebhookInput: (given, { webhookNetworks }) => parseChangedWebhook(withoutNull(given), webhookNetworks),
  UpdateWebhookInput: (given, { webhookNetworks }) => parseChangedWebhook(given, webhookNetworks),
  RateLimitInput: ({ limit, windowSeconds }) => ({
    ...(limit === undefined ? {} : { limit: parseLimit(limit) }),
    ...(windowSeconds === undefined ? {} : { windowSeconds: parseWindowSeconds(windowSeconds) }),
  }),
};

/** Checks the given fields, which already have the types of the schema, against the rules of their input object. */
export function applyRules(inputType: string, given: Readonly<Record<string, unknown>>, context: RuleContext): Results {
  return rules[inputType]?.(given as Given, context) ?? {};
}

function newSettings(given: Given, { now }: RuleContext): Results {
  return parseChangedSettings(withoutNull(given), now);
}

/** Omits null fields: in something new, null means the default. */
function withoutNull(given: Given): Given {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}

function importedFields({ digest, prefix, env }: Given): Results {
  return {
    ...(digest === undefined ? {} : { digest: parseImportedDigest(digest) }),
    // The prefix of a key names its environment.
    ...(prefix == null || env === undefined ? {} : { prefix: parseImportedPrefix(prefix, env) }),
  };
}
