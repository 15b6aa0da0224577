import {
  Group,
  NativeSelect,
  NumberInput,
  TagsInput,
  type TagsInputProps,
  Textarea,
  type TextareaProps,
  TextInput,
  type TextInputProps,
} from '@mantine/core';
import type { ChangeEvent, ReactNode } from 'react';
import type { SettingName } from '../../domain/key/settings.ts';
import { limits } from '../../domain/limits.ts';
import { DocsLink } from '../components/docs-link.tsx';
import { problemOf } from '../components/form/form.tsx';
import { ExpiryInput } from './expiry-input.tsx';
import { type KeyDraft, scopesIn, settingFields } from './setting-fields.ts';
import { useSuggestions } from './suggestions.ts';
import './setting-inputs.css';

interface InputProps<Draft> {
  readonly teamId: string;
  readonly value: Draft;
  readonly change: (value: Draft) => void;
  readonly error: ReactNode;
  readonly isNew: boolean;
}

const inputs: { readonly [S in SettingName]: (props: InputProps<KeyDraft[S]>) => ReactNode } = {
  name: ({ value, change, error, isNew }) => (
    <TextInput
      label="Name"
      maxLength={limits.nameCharacters}
      value={value}
      onChange={textTo(change)}
      error={error}
      {...(isNew && newName)}
    />
  ),
  description: textInput({
    label: 'Description',
    maxLength: limits.descriptionCharacters,
  }),
  expiresAt: ({ value, change, error }) => <ExpiryInput value={value} onChange={change} error={error} />,
  allowedIps: ({ value, change, error }) => (
    <SourcesInput label="Allowed sources" minRows={2} value={value} onChange={textTo(change)} error={error} />
  ),
  scopes: listInput('scopes', {
    label: 'Scopes',
    description: 'Press Enter after each one.',
    maxTags: limits.scopes,
    splitChars: [',', ' '],
    clean: scopesIn,
  }),
  rateLimit: RateLimitInput,
  externalId: textInput({
    label: 'External ID',
    maxLength: limits.externalIdCharacters,
  }),
  tags: listInput('tags', {
    label: 'Tags',
    description: 'Press Enter after each one.',
    maxTags: limits.tags,
  }),
  metadata: ({ value, change, error }) => (
    <Textarea
      classNames={{ input: 'code' }}
      label="Metadata"
      placeholder={'{"plan": "free"}'}
      autosize
      minRows={2}
      maxRows={12}
      spellCheck={false}
      value={value}
      onChange={textTo(change)}
      error={error}
    />
  ),
};

type ChangeSetting = <S extends SettingName>(setting: S, value: KeyDraft[S]) => void;

interface Props {
  readonly teamId: string;
  readonly draft: KeyDraft;
  readonly change: ChangeSetting;
  readonly problems: Partial<Record<SettingName, ReactNode>>;
  readonly error?: unknown;
  readonly isNew?: boolean;
}

export function SettingInputs({ settings, ...props }: Props & { readonly settings: readonly SettingName[] }) {
  return settings.map((setting) => <SettingInput key={setting} setting={setting} {...props} />);
}

function SettingInput<S extends SettingName>({ setting, ...props }: Props & { readonly setting: S }) {
  const { teamId, draft, change, problems, error, isNew = false } = props;
  const Input: (props: InputProps<KeyDraft[S]>) => ReactNode = inputs[setting];
  const { label, help } = settingFields[setting];
  const input = (
    <Input
      teamId={teamId}
      value={draft[setting]}
      change={(value) => change(setting, value)}
      error={problems[setting] ?? problemOf(error, setting)}
      isNew={isNew}
    />
  );
  if (help === undefined) return input;
  return (
    <DocsLink about={label} {...help}>
      {input}
    </DocsLink>
  );
}

const newName = {
  description: `A label for people, up to ${limits.nameCharacters} characters.`,
  withAsterisk: true,
  required: true,
  'data-autofocus': true,
};

function textInput(options: TextInputProps) {
  return ({ value, change, error }: InputProps<string>) => (
    <TextInput {...options} value={value} onChange={textTo(change)} error={error} />
  );
}

interface ListOptions extends TagsInputProps {
  readonly clean?: (entries: string[]) => string[];
}

function listInput(kind: 'scopes' | 'tags', { clean, ...options }: ListOptions) {
  return ({ teamId, value, change, error }: InputProps<readonly string[]>) => (
    <TagsInput
      {...options}
      classNames={{ input: 'bounded' }}
      {...useSuggestions(teamId, kind)}
      value={[...value]}
      onChange={(entries) => change(clean?.(entries) ?? entries)}
      error={error}
    />
  );
}

export function SourcesInput(props: TextareaProps) {
  return (
    <Textarea
      className="sources"
      description="One per line. Empty: every source."
      placeholder={'203.0.113.9\n10.0.0.0/8 # our network\nvpn.example.com'}
      autosize
      maxRows={12}
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
        placeholder="No limit"
        min={1}
        max={limits.rateLimit}
        // With clamping, pressing Save would change an invalid number and save it.
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

/** Returns the choices and the current value, because other programs can set any number of seconds. */
function windowChoices(seconds: string): { value: string; label: string }[] {
  const isListed = windows.some(({ value }) => value === seconds);
  return isListed ? windows : [...windows, { value: seconds, label: `${seconds} seconds` }];
}

function textTo(change: (text: string) => void) {
  return ({ currentTarget }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => change(currentTarget.value);
}
