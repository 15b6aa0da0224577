/** Describes each setting of a key once, for all forms. The inputs are in setting-inputs.tsx. */
import type { SettingName } from '../../domain/key/settings.ts';
import { limits } from '../../domain/limits.ts';
import { isJsonObject } from '../../lib/json-object.ts';
import { formatNumber } from '../components/format.ts';
import type { KeySettingsFragment, VerdictCode } from '../generated/graphql.ts';
import { problemOf, sourcesIn } from './allowed-sources.ts';
import { inDays } from './expiry.ts';

export type SettingValues = Pick<KeySettingsFragment, SettingName>;

export interface KeyDraft {
  readonly name: string;
  readonly description: string;
  readonly expiresAt: Date | null;
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
  readonly tags: readonly string[];
  /** JSON; empty for a key without metadata. */
  readonly metadata: string;
}

interface SettingField<Value, Draft> {
  readonly label: string;
  /** What the setting does, and the verdicts that it can cause. */
  readonly help?: { readonly help: string; readonly codes?: readonly VerdictCode[] };
  readonly isInSummary?: boolean;
  readonly empty: Draft;
  readonly toDraft: (value: Value) => Draft;
  readonly toValue: (draft: Draft) => Value;
  /** Checks a draft without asking the server. Returns its problem. */
  readonly problem?: (draft: Draft) => string | null;
  /** Whether the form of a new key shows the problem before the user submits. */
  readonly isCheckedEarly?: boolean;
  /** Returns the value in the parameters of a link to the form, or the draft if the link does not set it. */
  readonly fromLink: (parameters: URLSearchParams, draft: Draft) => Draft;
}

const noRateLimit = { limit: '', windowSeconds: 60 };

export const settingFields: { readonly [S in SettingName]: SettingField<SettingValues[S], KeyDraft[S]> } = {
  name: {
    label: 'Name',
    empty: '',
    toDraft: (name) => name,
    toValue: (text) => text.trim(),
    problem: (text) => (text.trim() === '' ? 'A key needs a name, so that people know what it is for.' : null),
    fromLink: (parameters, draft) => (parameters.get('name') ?? draft).slice(0, limits.nameCharacters),
  },
  description: {
    label: 'Description',
    help: { help: 'What people should know about the key, such as where it is used. Verifications do not return it.' },
    isInSummary: true,
    ...textField('description'),
  },
  expiresAt: {
    label: 'Expiry',
    help: {
      help: 'From this time on, requests with the key are rejected. You can set another time before or after that.',
      codes: ['EXPIRED'],
    },
    empty: null,
    toDraft: (expiresAt) => (expiresAt === null ? null : new Date(expiresAt)),
    toValue: (date) => date?.toISOString() ?? null,
    problem: (date) => (date !== null && date.getTime() <= Date.now() ? 'It must be in the future.' : null),
    fromLink: (parameters, draft) => expiryIn(parameters.get('expires'), draft),
  },
  allowedIps: {
    label: 'Allowed sources',
    help: {
      help: 'IP addresses, CIDR ranges and host names from which the key can be used, one per line, each optionally followed by a # comment. Without any, it can be used from everywhere.',
      codes: ['SOURCE_NOT_ALLOWED'],
    },
    empty: '',
    toDraft: (sources) => sources.join('\n'),
    toValue: sourcesIn,
    problem: problemOf,
    fromLink: (parameters, draft) => listIn(parameters, 'source', [draft]).join('\n'),
  },
  scopes: {
    label: 'Scopes',
    help: {
      help: 'What the key can be used for, in the words of your API, such as orders:read. An API rejects requests that need a scope which the key lacks.',
      codes: ['INSUFFICIENT_SCOPE'],
    },
    isInSummary: true,
    ...listField('scope'),
  },
  rateLimit: {
    label: 'Rate limit',
    help: {
      help: 'The number of requests that are accepted in each second, minute, hour or day. The next ones are rejected until the window ends.',
      codes: ['RATE_LIMITED'],
    },
    isInSummary: true,
    empty: noRateLimit,
    toDraft: (rateLimit) => rateLimit ?? noRateLimit,
    toValue: ({ limit, windowSeconds }) => (limit === '' ? null : { limit: Number(limit), windowSeconds }),
    problem: ({ limit }) => {
      const isWithin = Number.isInteger(limit) && Number(limit) >= 1 && Number(limit) <= limits.rateLimit;
      return limit === '' || isWithin ? null : `It must be a number from 1 to ${formatNumber(limits.rateLimit)}.`;
    },
    isCheckedEarly: true,
    fromLink: (parameters, { limit, windowSeconds }) => ({
      limit: numberIn(parameters, 'limit') ?? limit,
      // The form has no message about the window, so a window that the server would reject is left out.
      windowSeconds: windowIn(parameters) ?? windowSeconds,
    }),
  },
  externalId: {
    label: 'External ID',
    help: { help: 'The customer or service that the key belongs to. Every verification returns it to your API.' },
    isInSummary: true,
    ...textField('externalId'),
  },
  tags: {
    label: 'Tags',
    help: { help: 'Labels by which people find keys in the list. Verifications do not return them.' },
    isInSummary: true,
    ...listField('tag'),
  },
  metadata: {
    label: 'Metadata',
    help: { help: 'A JSON object, which every verification returns to your API. It is no place for secrets.' },
    empty: '',
    toDraft: (metadata) => (metadata == null ? '' : JSON.stringify(metadata, null, 2)),
    toValue: (text) => (text.trim() === '' ? null : JSON.parse(text)),
    problem: problemOfJson,
    isCheckedEarly: true,
    fromLink: (parameters, draft) => parameters.get('metadata') ?? draft,
  },
};

type Conversions<Value, Draft> = Pick<SettingField<Value, Draft>, 'empty' | 'toDraft' | 'toValue' | 'fromLink'>;

function textField(parameter: string): Conversions<string | null, string> {
  return {
    empty: '',
    toDraft: (value) => value ?? '',
    toValue: (text) => text.trim() || null,
    fromLink: (parameters, draft) => parameters.get(parameter) ?? draft,
  };
}

/** Converts a list. A link repeats the parameter for each entry. */
function listField(parameter: string): Conversions<string[], readonly string[]> {
  return {
    empty: [],
    toDraft: (entries) => entries,
    toValue: (entries) => [...entries],
    fromLink: (parameters, draft) => listIn(parameters, parameter, draft),
  };
}

/** Returns each scope once. Splits pasted lists at spaces, which no scope contains (RFC 6749, section 3.3). */
export function scopesIn(texts: readonly string[]): string[] {
  const scopes = texts.flatMap((text) => text.split(/\s+/)).filter((scope) => scope !== '');
  return [...new Set(scopes)];
}

function problemOfJson(text: string): string | null {
  if (text.trim() === '') return null;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? null : 'It must be a JSON object, such as {"plan": "free"}.';
  } catch (error) {
    return `It is not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Reads the expiry in a link: `never`, or a number of days. */
function expiryIn(text: string | null, otherwise: Date | null): Date | null {
  if (text === 'never') return null;
  const days = Number(text ?? '');
  return days > 0 && days < 36_500 ? inDays(days) : otherwise;
}

function listIn(parameters: URLSearchParams, name: string, otherwise: readonly string[]): readonly string[] {
  return parameters.has(name) ? parameters.getAll(name) : otherwise;
}

function numberIn(parameters: URLSearchParams, name: string): number | null {
  const text = parameters.get(name);
  return text === null ? null : Number(text);
}

function windowIn(parameters: URLSearchParams): number | null {
  const seconds = numberIn(parameters, 'window') ?? Number.NaN;
  return Number.isInteger(seconds) && seconds >= 1 && seconds <= limits.rateLimitWindowSeconds ? seconds : null;
}
