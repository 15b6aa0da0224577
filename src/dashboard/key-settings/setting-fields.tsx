/** The settings of a key in forms: each is described here once, for creation, editing, links and the history. */
import {
  Group,
  NativeSelect,
  NumberInput,
  TagsInput,
  type TagsInputProps,
  Textarea,
  type TextareaProps,
  TextInput,
} from '@mantine/core';
import type { ChangeEvent, ReactNode } from 'react';
import type { SettingName } from '../../domain/key/settings.ts';
import { limits } from '../../domain/limits.ts';
import type { Parsed } from '../../lib/parsed.ts';
import { formatNumber } from '../components/format.ts';
import type { KeySettingsFragment } from '../generated/graphql.ts';
import { problemsOf, sourcesIn } from './allowed-sources.ts';
import { inDays } from './expiry.ts';
import { ExpiryInput } from './expiry-input.tsx';

/** The settings as the API has them. */
export type SettingValues = Pick<KeySettingsFragment, SettingName>;

/** The settings as a form edits them. */
export interface KeyDraft {
  readonly name: string;
  readonly expiresAt: Date | null;
  /** One source per line. */
  readonly allowedIps: string;
  readonly scopes: readonly string[];
  /** One setting, because a limit means nothing without its window. */
  readonly rateLimit: {
    /** The number of requests in a window; empty for no limit. */
    readonly limit: number | string;
    readonly windowSeconds: number;
  };
  readonly externalId: string;
  readonly tags: readonly string[];
  /** JSON; empty for none. */
  readonly metadata: string;
}

interface InputProps<Draft> {
  readonly value: Draft;
  readonly change: (value: Draft) => void;
  readonly error: ReactNode;
  /** Whether the key does not exist yet. */
  readonly isNew: boolean;
}

interface SettingField<Value, Draft> {
  readonly label: string;
  /** The draft for a new key. */
  readonly empty: Draft;
  readonly toDraft: (value: Value) => Draft;
  /** Called for drafts without a problem. */
  readonly toValue: (draft: Draft) => Value;
  /** Returns what is wrong with a draft, as far as it is known without the server. */
  readonly problem?: (draft: Draft) => string | null;
  /** Whether the form of a new key shows the problem before it is submitted. */
  readonly isCheckedEarly?: boolean;
  /** Returns what a link that prepares a key has; without the parameter, the draft. */
  readonly fromLink: (parameters: URLSearchParams, draft: Draft) => Draft;
  readonly Input: (props: InputProps<Draft>) => ReactNode;
}

export const settingFields: { readonly [S in SettingName]: SettingField<SettingValues[S], KeyDraft[S]> } = {
  name: {
    label: 'Name',
    empty: '',
    toDraft: (name) => name,
    toValue: (text) => text.trim(),
    problem: (text) => (text.trim() === '' ? 'A key needs a name, so that people know what it is for.' : null),
    fromLink: (parameters, draft) => (parameters.get('name') ?? draft).slice(0, limits.nameCharacters),
    Input: ({ value, change, error, isNew }) => (
      <TextInput
        label="Name"
        maxLength={limits.nameCharacters}
        value={value}
        onChange={textTo(change)}
        error={error}
        {...(isNew && newName)}
      />
    ),
  },
  expiresAt: {
    label: 'Expiry',
    empty: null,
    toDraft: (expiresAt) => (expiresAt === null ? null : new Date(expiresAt)),
    toValue: (date) => date?.toISOString() ?? null,
    problem: (date) => (date !== null && date.getTime() <= Date.now() ? 'It must be in the future.' : null),
    fromLink: (parameters, draft) => expiryIn(parameters.get('expires'), draft),
    Input: ({ value, change, error }) => <ExpiryInput value={value} onChange={change} error={error} />,
  },
  allowedIps: {
    label: 'Allowed sources',
    empty: '',
    toDraft: (sources) => sources.join('\n'),
    toValue: sourcesIn,
    problem: (text) =>
      problemsOf(text)
        .map(({ line, message }) => `Line ${line} ${message}`)
        .join('. ') || null,
    fromLink: (parameters, draft) => listIn(parameters, 'source', [draft]).join('\n'),
    Input: ({ value, change, error }) => (
      <SourcesInput label="Allowed sources" minRows={2} value={value} onChange={textTo(change)} error={error} />
    ),
  },
  scopes: listField({
    label: 'Scopes',
    description: 'What the key can be used for, in the words of your API. Press Enter after each one.',
    parameter: 'scope',
    maxTags: limits.scopes,
    splitChars: [',', ' '],
    clean: scopesIn,
  }),
  rateLimit: {
    label: 'Rate limit',
    empty: { limit: '', windowSeconds: 60 },
    toDraft: (rateLimit) => rateLimit ?? { limit: '', windowSeconds: 60 },
    toValue: ({ limit, windowSeconds }) => (limit === '' ? null : { limit: Number(limit), windowSeconds }),
    problem: ({ limit }) => {
      const isWithin = Number.isInteger(limit) && Number(limit) >= 1 && Number(limit) <= limits.rateLimit;
      return limit === '' || isWithin ? null : `It must be a number from 1 to ${formatNumber(limits.rateLimit)}.`;
    },
    isCheckedEarly: true,
    fromLink: (parameters, { limit, windowSeconds }) => ({
      limit: numberIn(parameters, 'limit') ?? limit,
      windowSeconds: numberIn(parameters, 'window') ?? windowSeconds,
    }),
    Input: RateLimitInput,
  },
  externalId: {
    label: 'External ID',
    empty: '',
    toDraft: (id) => id ?? '',
    toValue: (text) => text.trim() || null,
    fromLink: (parameters, draft) => parameters.get('externalId') ?? draft,
    Input: ({ value, change, error }) => (
      <TextInput
        label="External ID"
        description="The customer or service that the key belongs to. Every verification returns it."
        maxLength={limits.externalIdCharacters}
        value={value}
        onChange={textTo(change)}
        error={error}
      />
    ),
  },
  tags: listField({
    label: 'Tags',
    description: 'Labels by which keys are filtered. Press Enter after each one.',
    parameter: 'tag',
    maxTags: limits.tags,
  }),
  metadata: {
    label: 'Metadata',
    empty: '',
    toDraft: (metadata) => (metadata == null ? '' : JSON.stringify(metadata, null, 2)),
    toValue: (text) => {
      const parsed = parseJsonObject(text);
      return parsed.ok ? parsed.value : null;
    },
    problem: (text) => {
      const parsed = parseJsonObject(text);
      return parsed.ok ? null : parsed.problem;
    },
    isCheckedEarly: true,
    fromLink: (parameters, draft) => parameters.get('metadata') ?? draft,
    Input: ({ value, change, error }) => (
      <Textarea
        classNames={{ input: 'code' }}
        label="Metadata"
        description="A JSON object, which every verification returns. It is no place for secrets."
        placeholder={'{"plan": "free"}'}
        autosize
        minRows={2}
        maxRows={16}
        spellCheck={false}
        value={value}
        onChange={textTo(change)}
        error={error}
      />
    ),
  },
};

interface ListOptions extends Pick<TagsInputProps, 'description' | 'maxTags' | 'splitChars'> {
  readonly label: string;
  /** The parameter of a link, given once for each entry. */
  readonly parameter: string;
  readonly clean?: (entries: string[]) => string[];
}

function listField({ label, parameter, clean, ...options }: ListOptions): SettingField<string[], readonly string[]> {
  return {
    label,
    empty: [],
    toDraft: (entries) => entries,
    toValue: (entries) => [...entries],
    fromLink: (parameters, draft) => listIn(parameters, parameter, draft),
    Input: ({ value, change, error }) => (
      <TagsInput
        label={label}
        {...options}
        value={[...value]}
        onChange={(entries) => change(clean?.(entries) ?? entries)}
        error={error}
      />
    ),
  };
}

const newName = {
  description: `A label for people, up to ${limits.nameCharacters} characters.`,
  withAsterisk: true,
  required: true,
  'data-autofocus': true,
};

export function SourcesInput(props: TextareaProps) {
  return (
    <Textarea
      className="sources"
      description="One per line: an IP address, a CIDR range or a host name, optionally followed by a # comment. Empty: every source."
      placeholder={'203.0.113.9\n10.0.0.0/8 # our network\nvpn.example.com'}
      autosize
      maxRows={16}
      spellCheck={false}
      {...props}
    />
  );
}

function RateLimitInput({ value, change, error }: InputProps<KeyDraft['rateLimit']>) {
  return (
    <Group align="start" gap="xs">
      <NumberInput
        label="Rate limit"
        description="Accepted requests. Empty: no limit."
        min={1}
        max={limits.rateLimit}
        // Otherwise, pressing Save would change an invalid number and save it.
        clampBehavior="none"
        allowDecimal={false}
        allowNegative={false}
        thousandSeparator=","
        hideControls
        value={value.limit}
        onChange={(limit) => change({ ...value, limit })}
        error={error}
      />
      <NativeSelect
        label="Per"
        description="Window of the limit."
        data={windowChoices(String(value.windowSeconds))}
        value={value.windowSeconds}
        onChange={({ currentTarget }) => change({ ...value, windowSeconds: Number(currentTarget.value) })}
      />
    </Group>
  );
}

const windows = [
  { value: '1', label: 'second' },
  { value: '60', label: 'minute' },
  { value: '3600', label: 'hour' },
  { value: '86400', label: 'day' },
];

/** Returns the choices, with the current one: other programs can set any number of seconds. */
function windowChoices(seconds: string): { value: string; label: string }[] {
  const isListed = windows.some(({ value }) => value === seconds);
  return isListed ? windows : [...windows, { value: seconds, label: `${seconds} seconds` }];
}

function textTo(change: (text: string) => void) {
  return ({ currentTarget }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => change(currentTarget.value);
}

/** Returns each scope once. A scope has no spaces, so that several can be pasted at once (RFC 6749, section 3.3). */
export function scopesIn(texts: readonly string[]): string[] {
  const scopes = texts.flatMap((text) => text.split(/\s+/)).filter((scope) => scope !== '');
  return [...new Set(scopes)];
}

/** Parses the text of a JSON object. Empty text is null. */
function parseJsonObject(text: string): Parsed<object | null> {
  if (text.trim() === '') return { ok: true, value: null };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ok: true, value };
    return { ok: false, problem: 'It must be a JSON object, such as {"plan": "free"}.' };
  } catch (error) {
    return { ok: false, problem: `It is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** `never`, or a number of days. */
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
