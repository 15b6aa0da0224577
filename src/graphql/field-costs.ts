/**
 * The costs of fields of the schema, in points. A point is about 60 µs of CPU time or 1 kB of response, whichever is
 * more. Measured with 10,000 keys in a team (test/support/expensive-documents.ts): no field reads more keys.
 */
import { type GraphQLNamedType, isEnumType, isLeafType } from 'graphql';
import { areAllUnrevokedOrNone } from '../domain/key/api-key.ts';
import { type Kind, settingNames, settings } from '../domain/key/settings.ts';
import { limits } from '../domain/limits.ts';
import { parseFields } from '../domain/parse-fields.ts';
import { maxObservedSources } from '../domain/source/observed-source.ts';
import { keyVerdictCount } from '../domain/verdict/checks.ts';
import { isJsonObject } from '../lib/json-object.ts';
import { maxRejectedKeys, parseDays } from '../manage/read/read-usage.ts';
import type { Resolvers } from './generated/resolver-types.ts';

export type Arguments = Readonly<Record<string, unknown>>;

export interface FieldCost {
  /** The cost of the field itself, without its selection. */
  readonly cost?: number;
  /** The maximum kilobytes of a long text in one object. */
  readonly text?: number;
  /** The number of objects that the selection is returned for. Default: 1. */
  readonly objects?: number;
  /** The maximum number of objects that can have a text of maximum length. Default: `objects`. */
  readonly texts?: number;
  /** Like `objects` and `texts`, for fields that a page returns for each entry. */
  readonly entries?: number;
  readonly entryTexts?: number;
}

const maxBodyKilobytes = 64;
/** The cost of a list, which is at most as long as the body that set the list. */
const list: FieldCost = { text: maxBodyKilobytes };
/** `changeKeys` returns at most two stored texts of maximum length, and one that the same call has set. */
const textsOfChanges = 3;
const changeCost = 95;
const change: FieldCost = { cost: changeCost };
/** A page has at most 128 kB of responses (manage/read/page.ts), each of 1 kB. As JSON, a text can be twice as long. */
const textsOfDeliveries = 128;

/** The cost of comparing the maximum number of keys or audit entries that one field reads. */
const scan = 170;
const hourMs = 3_600_000;
/** The current secret, the previous secret, and all earlier secrets together. */
const secretGroups = 3;

/** A text has at most 255 or 500 characters, of up to four bytes each. */
const costsOfSettings: Readonly<Record<Kind, FieldCost>> = {
  text: { text: 2 },
  list,
  moment: {},
  object: list,
  rateLimit: {},
};

type Price = FieldCost | ((args: Arguments) => FieldCost);

type FieldsOf<Type extends keyof Resolvers> = Exclude<keyof NonNullable<Resolvers[Type]>, '__isTypeOf'> & string;
type RootField = `Query.${FieldsOf<'Query'>}` | `Mutation.${FieldsOf<'Mutation'>}`;
type Field = { readonly [Type in keyof Resolvers]-?: `${Type}.${FieldsOf<Type>}` }[keyof Resolvers];
type IntrospectionField = '__Schema.types' | '__Schema.directives' | '__Type.fields' | '__Type.enumValues';

/** A root field without a cost does not compile, nor does a cost of a field that the schema does not have. */
type Costs = Readonly<Record<RootField, Price>> & Readonly<Partial<Record<Field | IntrospectionField, Price>>>;

const costs: Costs = {
  'Query.viewer': { cost: 8 },
  'Query.key': { cost: 10 },
  'Query.keys': (args) => page(args, costOfSearch(args)),
  'Query.auditLog': (args) => page(args, costOfTrail(args)),
  'Query.usage': hours,
  'Query.teamUsage': hours,
  'Query.rejectedKeys': { cost: 300, objects: maxRejectedKeys },
  'Query.observedSources': { cost: 60, objects: maxObservedSources.perKey },
  'Query.unlistedSources': { cost: 60, objects: secretGroups },
  'Query.previewAllowedIps': ({ allowedIps }) => ({ cost: 120 + 2 * kilobytesOf(allowedIps) }),
  'Query.keysOverview': { cost: 300 },
  'Query.leakPolicy': { cost: 10 },
  'Query.explainVerification': { cost: 60 },
  'Query.events': (args) => page(args, args.types == null ? 0 : scan),
  'Query.webhooks': { cost: 20, objects: limits.webhooks },
  'Query.deliveries': (args) => ({ ...page(args, args.outcome == null ? 0 : scan), entryTexts: textsOfDeliveries }),
  'Mutation.createWebhook': change,
  'Mutation.updateWebhook': change,
  'Mutation.deleteWebhook': change,
  'Mutation.rotateWebhookSecret': change,
  'Mutation.sendTestEvent': { cost: 2 * changeCost },
  // Reads at most as many entries as a search, and writes a row for each event.
  'Mutation.replayEvents': { cost: scan + changeCost + limits.replayedEvents * 0.1 },
  'Mutation.createKey': ({ input }) => ({ cost: 95 + 2 * kilobytesOf(input) }),
  'Mutation.rotateKey': change,
  'Mutation.endOverlap': change,
  'Mutation.disableKey': change,
  'Mutation.enableKey': change,
  'Mutation.importKeys': ({ keys }) => listOf(keys, limits.importedKeys, 4),
  'Mutation.changeKeys': ({ keys }) => ({ ...listOf(keys, limits.changedKeys, 1.7), entryTexts: textsOfChanges }),
  'Mutation.updateKey': ({ input }) => ({ cost: 95 + 2 * kilobytesOf(input) }),
  'Mutation.revokeKey': change,
  'Mutation.revokeKeys': { cost: 500 },
  'Mutation.enableSigning': change,
  'Mutation.rotateSigningSecret': change,
  'Mutation.disableSigning': change,
  'Mutation.setLeakPolicy': change,
  'ApiKeyConnection.totalCount': { cost: 100 },
  'ApiKeyConnection.totalCountIsPartial': { cost: 100 },
  'ApiKeyEdge.cursor': { cost: 0.15, text: 86 },
  ...Object.fromEntries(settingNames.map((name) => [`ApiKey.${name}`, costsOfSettings[settings[name].kind]])),
  'ApiKey.name': { cost: 0.3 },
  'ApiKey.lastUsedAt': { cost: 0.3 },
  'ApiKey.callsByDay': callsByDay,
  'ApiKey.secrets': { cost: 0.5, objects: 2 },
  'ObservedSource.counts': { objects: keyVerdictCount },
  'UnlistedSources.counts': { objects: keyVerdictCount },
  'RejectedKey.counts': { objects: keyVerdictCount },
  'AllowedIpsPreview.accepted': { objects: maxObservedSources.perKey },
  'AllowedIpsPreview.rejected': { objects: maxObservedSources.perKey },
  'AuditEntry.keyName': { cost: 0.1 },
  'AllowedIpsPreview.unlisted': { objects: secretGroups },
  'AuditEntry.actor': list,
  'AuditEntry.changes': { cost: 0.4 },
  'AuditEntry.details': { text: 5 },
  'AuditChange.field': { text: 20 },
  'AuditChange.before': list,
  'AuditChange.after': list,
  // Returned instead of `before` and `after`, which already count the text.
  'AuditChange.added': { text: 0 },
  'AuditChange.removed': { text: 0 },
  // Each event is at most 16 kB, and the texts of a page are limited. The rest is the key and who made the change.
  'Event.data': { cost: 0.8, text: maxBodyKilobytes },
  'Webhook.url': { text: 2 },
  'Webhook.description': { text: 2 },
  'Webhook.types': { text: 0.6 },
  'Webhook.publicKey': { cost: 3 },
  'Webhook.lastDelivery': { cost: 3 },
  'Delivery.responseBody': { text: 2 },
  'Viewer.subject': { cost: 0.8 },
  'ViewerTeam.name': { cost: 0.05 },
  'Viewer.teams': { objects: 150 },
  'VerificationExplanation.checks': { objects: 10 },
  'VerificationCheck.explanation': { cost: 1 },
  '__Schema.types': { objects: 45 },
  '__Schema.directives': { objects: 6 },
  '__Type.fields': { objects: 3 },
  '__Type.enumValues': { objects: 2 },
};

/** Returns whether the selection of this field is returned for each entry of a page or a bulk change. */
export function isPerEntry(field: string): boolean {
  return /^\w+Connection\.(edges|nodes)$|^EventPage\.events$|^(Import|Change)KeysPayload\.results$/.test(field);
}

/** The bytes of a value in the response, by type. */
const bytes: Readonly<Record<string, number>> = { UUID: 38, DateTime: 26, Boolean: 5, Int: 11, ID: 26 };
const otherBytes = 60;
/** The quotation marks, colon and comma around the name of a field, and the brackets of an object. */
const punctuationBytes = 6;

/** Returns the cost of a field. `field` is `Type.field`; `key` is the field's name in the response. */
export function costOf(field: string, key: string, type: GraphQLNamedType, args: Arguments): FieldCost {
  const known = (costs as Readonly<Record<string, Price | undefined>>)[field];
  const { cost = 0, ...rest } = (typeof known === 'function' ? known(args) : known) ?? {};
  const isShort = isLeafType(type) && rest.text === undefined;
  const value = isShort ? (bytes[type.name] ?? (isEnumType(type) ? 26 : otherBytes)) : 0;
  return { ...rest, cost: cost + (key.length + value + punctuationBytes) / 1000 };
}

/** Returns the cost of comparing keys with a filter: 0 if an index can give the page in the requested order. */
function costOfSearch({ filter, orderBy }: Arguments): number {
  const { state, ...conditions } = isJsonObject(filter) ? filter : {};
  const states = Array.isArray(state) ? state : ['ACTIVE', 'EXPIRED', 'DISABLED'];
  const isScan = !areAllUnrevokedOrNone(states) || Object.values(conditions).some((condition) => condition != null);
  const field = isJsonObject(orderBy) ? orderBy.field : 'CREATED_AT';
  if (!isScan) return 0;
  // The tags of each key are parsed.
  const tags = conditions.tags == null ? 0 : scan / 2;
  // Unrevoked and revoked keys are two lists, which are merged.
  if (field !== 'CREATED_AT' && states.includes('REVOKED') && states.length > 1) return 3 * scan + tags;
  // Rows that follow each other by expiry are far apart in the table, unlike rows that follow each other by name.
  return (field === 'EXPIRES_AT' ? 2 * scan : scan) + tags;
}

function costOfTrail({ action, actor, from, to }: Arguments): number {
  return [action, actor, from, to].some((condition) => condition != null) ? scan : 0;
}

/** Returns the cost of a page, which ends early after the longest texts of two entries (manage/read/page.ts). */
function page({ first }: Arguments, cost = 0): FieldCost {
  // The use case rejects values out of bounds before any work.
  const entries = typeof first === 'number' ? Math.min(Math.max(first, 1), limits.pageSize) : limits.pageSize;
  return { cost: cost + 30 + entries * 0.2, entries, entryTexts: Math.min(entries, 2) };
}

function hours({ from, to, secret }: Arguments): FieldCost {
  const span = from instanceof Date && to instanceof Date ? Math.ceil((to.getTime() - from.getTime()) / hourMs) : 0;
  const rows = Math.min(keyVerdictCount * Math.max(span, 1), limits.usageCounts);
  // The counts of one secret may be one list minus another one.
  return { cost: 20 + rows * (secret == null ? 0.03 : 0.045), objects: rows };
}

/** Throws BAD_USER_INPUT, because an error of this field must not cost the response of a change that succeeded. */
function callsByDay({ days }: Arguments): FieldCost {
  const counts = parseFields({ days: parseDays(Number(days)) }).days;
  return { cost: 0.1 + counts * 0.013 };
}

/** Returns the cost of a list. The use case rejects a list above `maxLength` before any work. */
function listOf(value: unknown, maxLength: number, costOfEntry: number): FieldCost {
  const entries = Array.isArray(value) ? Math.min(value.length, maxLength) : 0;
  return { cost: 20 + costOfEntry * entries, entries };
}

function kilobytesOf(value: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(value) ?? '') / 1000;
  } catch (error) {
    // The value is nested too deeply for the stack. The use case rejects such metadata.
    if (error instanceof RangeError) return maxBodyKilobytes;
    throw error;
  }
}
