/** Describes changes of a key in words, for the key's history and for conflicts between two sessions. */
import { settingNames } from '../../../domain/key/settings.ts';
import { durationText } from '../../../domain/policy/duration-text.ts';
import { formatRate, formatTime } from '../../components/format.ts';
import { settingFields } from '../../key-form/fields.ts';
import { policyLabels } from '../../policy/labels.ts';

export interface FieldChange {
  readonly field: string;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly added?: readonly string[] | null;
  readonly removed?: readonly string[] | null;
}

const otherNames: Readonly<Record<string, string>> = {
  ...policyLabels,
  env: 'Environment',
  previousSecretExpiresAt: 'End of the previous secret',
  previousSigningSecretExpiresAt: 'End of the previous signing secret',
  digestReleased: 'Released by the operator',
  lastUsedAt: 'Last use',
  endsAt: 'Ends',
  policy: 'For leaked keys',
  'webhook.origin': 'Webhook',
  once: 'Each token once',
  'managementKey.name': 'Management key',
  'managementKey.prefix': 'Prefix',
  'trustRule.name': 'Trust rule',
  'trustRule.issuer': 'Issuer',
  'fence.reason': 'Reason',
  'member.subject': 'Member',
  'leak.source': 'Found in',
  'leak.url': 'Found at',
  'leak.action': 'For leaked keys',
  url: 'URL',
  types: 'Events',
};

/** Fields that are left out, because the name of the action implies them. */
const implied = new Set(['revokedAt', 'disabledAt', 'signingEnabled', 'signingVersion']);

export function nameOf(field: string): string {
  const setting = settingNames.find((name) => name === field);
  return setting === undefined ? (otherNames[field] ?? wordsOf(field)) : settingFields[setting].label;
}

/** `createdBefore` is "Created before". */
function wordsOf(name: string): string {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Describes everything that an audit entry says about what happened. */
export function sentencesOf({
  changes,
  details,
}: {
  readonly changes: readonly FieldChange[];
  readonly details?: unknown;
}) {
  return [...inWords(changes), ...detailsInWords(details)];
}

/** Describes the details of an event. The names of their members are paths, such as `leak.url`. */
function detailsInWords(details: unknown, path = ''): string[] {
  if (typeof details !== 'object' || details === null) return [];
  return Object.entries(details).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value === 'object' && value !== null) return detailsInWords(value, `${path}${name}.`);
    return path !== '' && name === 'id' ? [] : [`${nameOf(path + name)}: ${textOf(name, value)}`];
  });
}

export function inWords(changes: readonly FieldChange[]): string[] {
  return changes.filter(({ field }) => !implied.has(field)).flatMap(sentenceOf);
}

function sentenceOf({ field, before, after, added, removed }: FieldChange): string[] {
  const name = nameOf(field);
  if (added != null) return listSentence(name, added, removed ?? []);
  if (Array.isArray(before) || Array.isArray(after)) return listChange(name, before, after);
  if (before == null) return [`${name}: ${textOf(field, after)}`];
  if (after == null) return [`${name}: removed, it was ${textOf(field, before)}`];
  return [`${name}: changed from ${textOf(field, before)} to ${textOf(field, after)}`];
}

/** Compares full lists, as in conflicts and in audit entries of older versions. */
function listChange(name: string, before: unknown, after: unknown): string[] {
  const [old, current] = [listOf(before), listOf(after)];
  // The entry for a new key contains its empty lists too.
  if (old.length === 0 && current.length === 0) return [];
  return listSentence(name, without(current, old), without(old, current));
}

function listSentence(name: string, added: readonly string[], removed: readonly string[]): string[] {
  const parts = [
    ...(added.length === 0 ? [] : [`added ${added.join(', ')}`]),
    ...(removed.length === 0 ? [] : [`removed ${removed.join(', ')}`]),
  ];
  return [`${name}: ${parts.length === 0 ? 'changed the order' : parts.join('; ')}`];
}

function without(list: readonly string[], other: readonly string[]): string[] {
  return list.filter((entry) => !other.includes(entry));
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** The rate limits of a policy are JSON in the trail. */
const rateLimits = new Set(['maxRateLimit', 'defaults.rateLimit']);

/** Returns the value of a field as text, in the user's time zone. */
export function textOf(field: string, value: unknown): string {
  if (value == null) return 'none';
  if (field.endsWith('At') || field === 'enforceAfter') return formatTime(new Date(String(value)));
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(String).join(', ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number' && field.endsWith('Seconds')) return durationText(value);
  const rate = typeof value === 'string' && rateLimits.has(field) ? JSON.parse(value) : value;
  if (isRateLimit(rate)) return formatRate(rate.limit, rate.windowSeconds);
  if (typeof value === 'object') return JSON.stringify(value);
  return field === 'name' || field === 'reason' ? `“${String(value)}”` : String(value);
}

function isRateLimit(value: unknown): value is { readonly limit: number; readonly windowSeconds: number } {
  return typeof value === 'object' && value !== null && 'limit' in value && 'windowSeconds' in value;
}
