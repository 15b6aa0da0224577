/** Describes each setting of a key once, for all forms. The inputs are in inputs.tsx. */
import { parseWindowSeconds } from '../../domain/key/rate-limit.ts';
import { type SettingName, settings } from '../../domain/key/settings.ts';
import { limits } from '../../domain/limits.ts';
import { jsonLoss } from '../../lib/json-losses.ts';
import { isJsonObject } from '../../lib/json-object.ts';
import { formatNumber } from '../components/format.ts';
import type { KeySettingsFragment, VerdictCode } from '../generated/graphql.ts';
import { sourcesIn, sourcesProblem } from './allowed-sources.ts';
import { type Expiry, expiryProblem, momentOf, writeMoment } from './expiry.ts';

export type SettingValues = Pick<KeySettingsFragment, SettingName>;

/** What a form edits. */
export interface KeyDraft {
  readonly name: string;
  readonly description: string;
  readonly expiresAt: Expiry;
  /** One source per line. */
  readonly allowedIps: string;
  readonly scopes: readonly string[];
  /** Limit and window are one setting, because a limit means nothing without its window. */
  readonly rateLimit: {
    /** The number of requests in a window; empty for no limit. */
    readonly limit: number | string;
    readonly windowSeconds: number;
  };
  readonly externalId: string;
  readonly responsible: string;
  readonly tags: readonly string[];
  /** JSON; empty for a key without metadata. */
  readonly metadata: string;
}

interface SettingField<Value, Draft> {
  readonly label: string;
  /** What the setting does. */
  readonly help?: string;
  /** The verdicts that it can cause. */
  readonly codes?: readonly VerdictCode[];
  /** Converts a value; null is the value in an empty form. */
  readonly toDraft: (value: Value | null) => Draft;
  /** Converts a draft without a problem. */
  readonly toValue: (draft: Draft, now?: number) => Value;
  /** Checks a draft without asking the server. Returns its problem. */
  readonly problem?: (draft: Draft) => string | null;
  /** Returns the value in the parameters of a link to the form, or the draft if the link does not set it. */
  readonly fromLink: (parameters: URLSearchParams, draft: Draft) => Draft;
}

export const settingFields: { readonly [S in SettingName]: SettingField<SettingValues[S], KeyDraft[S]> } = {
  name: {
    label: 'Name',
    toDraft: (name) => name ?? '',
    toValue: (text) => text.trim(),
    problem: (text) =>
      text.trim() === '' ? 'A key needs a name, so that people know what it is for.' : problemOfEntry('name', text),
    fromLink: (parameters, draft) => (parameters.get('name') ?? draft).slice(0, limits.nameCharacters),
  },
  description: {
    label: 'Description',
    help: 'What people should know about the key, such as where it is used. Verifications do not return it.',
    ...textField('description'),
  },
  expiresAt: {
    label: 'Expiry',
    help: 'From this time on, requests with the key are rejected. You can set another time before or after that.',
    codes: ['EXPIRED'],
    toDraft: (expiresAt) => (expiresAt === null ? null : writeMoment(new Date(expiresAt))),
    toValue: (expiry, now) => momentOf(expiry, now)?.toISOString() ?? null,
    problem: (expiry) => expiryProblem(expiry),
    fromLink: (parameters, draft) => expiryIn(parameters.get('expires'), draft),
  },
  allowedIps: {
    label: 'Allowed sources',
    help: `IP addresses, CIDR ranges and up to ${limits.allowedHosts} host names from which the key can be used, one per line, each optionally followed by a # comment. Without any, it can be used from everywhere.`,
    codes: ['SOURCE_NOT_ALLOWED'],
    toDraft: (sources) => (sources ?? []).join('\n'),
    toValue: sourcesIn,
    problem: sourcesProblem,
    fromLink: (parameters, draft) => listIn(parameters, 'source', [draft]).join('\n'),
  },
  scopes: {
    label: 'Scopes',
    help: 'What the key can be used for, in the words of your API, such as orders:read. An API rejects requests that need a scope which the key lacks.',
    codes: ['INSUFFICIENT_SCOPE'],
    ...listField('scopes', 'scope'),
  },
  rateLimit: {
    label: 'Rate limit',
    help: 'The number of requests that are accepted in each second, minute, hour or day. The next ones are rejected until the window ends.',
    codes: ['RATE_LIMITED'],
    toDraft: (rateLimit) => rateLimit ?? { limit: '', windowSeconds: 60 },
    toValue: ({ limit, windowSeconds }) => (limit === '' ? null : { limit: Number(limit), windowSeconds }),
    problem: ({ limit }) => {
      const isWithin = Number.isInteger(limit) && Number(limit) >= 1 && Number(limit) <= limits.rateLimit;
      return limit === '' || isWithin ? null : `It must be a number from 1 to ${formatNumber(limits.rateLimit)}.`;
    },
    fromLink: (parameters, { limit, windowSeconds }) => ({
      limit: parameters.has('limit') ? Number(parameters.get('limit')) : limit,
      windowSeconds: windowIn(parameters) ?? windowSeconds,
    }),
  },
  externalId: {
    label: 'External ID',
    help: 'The customer or service that the key belongs to. Every verification returns it to your API.',
    ...textField('externalId'),
  },
  responsible: {
    label: 'Responsible',
    help: 'Who answers questions about the key: a person, as in the list of members, or a team. Verifications do not return it.',
    ...textField('responsible'),
  },
  tags: {
    label: 'Tags',
    help: 'Labels by which people find keys in the list. Verifications do not return them.',
    ...listField('tags', 'tag'),
  },
  metadata: {
    label: 'Metadata',
    help: 'A JSON object, which every verification returns to your API. It is no place for secrets.',
    toDraft: (metadata) => (metadata == null ? '' : JSON.stringify(metadata, null, 2)),
    toValue: (text) => (text.trim() === '' ? null : JSON.parse(text)),
    problem: problemOfJson,
    fromLink: (parameters, draft) => parameters.get('metadata') ?? draft,
  },
};

type Conversions<Value, Draft> = Pick<SettingField<Value, Draft>, 'toDraft' | 'toValue' | 'fromLink' | 'problem'>;

function textField(setting: 'description' | 'externalId' | 'responsible'): Conversions<string | null, string> {
  return {
    toDraft: (value) => value ?? '',
    toValue: (text) => text.trim() || null,
    problem: (text) => (text.trim() === '' ? null : problemOfEntry(setting, text)),
    fromLink: (parameters, draft) => parameters.get(setting) ?? draft,
  };
}

/** Converts a list. A link repeats the parameter for each entry. */
function listField(setting: 'scopes' | 'tags', parameter: string): Conversions<string[], readonly string[]> {
  return {
    toDraft: (entries) => entries ?? [],
    toValue: (entries) => [...entries],
    problem: (entries) => problemOfEntries(setting, entries),
    fromLink: (parameters, draft) => listIn(parameters, parameter, draft),
  };
}

/** Checks a text by the rules of the server. */
function problemOfEntry(setting: 'name' | 'description' | 'externalId' | 'responsible', text: string): string | null {
  const parsed = settings[setting].parse(text);
  return parsed.ok ? null : `It ${parsed.problem}.`;
}

function problemOfEntries(setting: 'scopes' | 'tags', entries: readonly string[]): string | null {
  const parsed = settings[setting].parse(entries);
  if (parsed.ok) return null;
  if ('problem' in parsed) return `It ${parsed.problem}.`;
  // The field of an error is the index of the entry in brackets.
  return parsed.errors.map(({ field, message }) => `Entry ${Number(field.slice(1, -1)) + 1} ${message}.`).join(' ');
}

function problemOfJson(text: string): string | null {
  if (text.trim() === '') return null;
  try {
    const value: unknown = JSON.parse(text);
    if (!isJsonObject(value)) return 'It must be a JSON object, such as {"plan": "free"}.';
    const loss = jsonLoss(text, value);
    return loss === null ? null : `It must have ${loss.path} ${loss.expected}.`;
  } catch (error) {
    return `It is not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Reads the expiry in a link: a number of days, or what can be typed. */
function expiryIn(text: string | null, otherwise: Expiry): Expiry {
  if (text === null) return otherwise;
  if (text === 'never') return null;
  const days = Number(text);
  if (days > 0 && days < 36_500) return days;
  return expiryProblem(text) === null ? text : otherwise;
}

function listIn(parameters: URLSearchParams, name: string, otherwise: readonly string[]): readonly string[] {
  return parameters.has(name) ? parameters.getAll(name) : otherwise;
}

/** Ignores a window that the server would reject, because the form has no message about it. */
function windowIn(parameters: URLSearchParams): number | null {
  const parsed = parseWindowSeconds(Number(parameters.get('window')));
  return parsed.ok ? parsed.value : null;
}
