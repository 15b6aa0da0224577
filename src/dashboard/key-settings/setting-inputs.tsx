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
import { ExpiryInput } from './expiry-input.tsx';
import { type KeyDraft, scopesIn, settingFields } from './setting-fields.ts';
import { useSuggestions } from './suggestions.ts';

interface InputProps<Draft> {
  readonly teamId: string;
  readonly label: string;
  readonly value: Draft;
  readonly change: (value: Draft) => void;
  readonly error: ReactNode;
  readonly isNew: boolean;
}

const newName = {
  description: `A label for people, up to ${limits.nameCharacters} characters.`,
  withAsterisk: true,
  required: true,
  'data-autofocus': true,
};

const inputs: { readonly [S in SettingName]: (props: InputProps<KeyDraft[S]>) => ReactNode } = {
  name: textInput(limits.nameCharacters, newName),
  description: textInput(limits.descriptionCharacters),
  expiresAt: ({ value, change, error }) => <ExpiryInput value={value} onChange={change} error={error} />,
  allowedIps: ({ label, value, change, error }) => (
    <SourcesInput label={label} minRows={2} value={value} onChange={textTo(change)} error={error} />
  ),
  scopes: listInput('scopes', { maxTags: limits.scopes, splitChars: [',', ' '] }, scopesIn),
  rateLimit: RateLimitInput,
  externalId: textInput(limits.externalIdCharacters),
  tags: listInput('tags', { maxTags: limits.tags }),
  metadata: ({ label, value, change, error }) => (
    <Textarea
      classNames={{ input: 'code' }}
      label={label}
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

interface Props {
  readonly teamId: string;
  readonly draft: KeyDraft;
  readonly change: <S extends SettingName>(setting: S, value: KeyDraft[S]) => void;
  readonly problems: Partial<Record<SettingName, ReactNode>>;
  readonly isNew?: boolean;
}

export function SettingInputs({ settings, ...props }: Props & { readonly settings: readonly SettingName[] }) {
  return settings.map((setting) => <SettingInput key={setting} setting={setting} {...props} />);
}

function SettingInput<S extends SettingName>({ setting, ...props }: Props & { readonly setting: S }) {
  const { teamId, draft, change, problems, isNew = false } = props;
  const Input: (props: InputProps<KeyDraft[S]>) => ReactNode = inputs[setting];
  const { label, help } = settingFields[setting];
  const input = (
    <Input
      teamId={teamId}
      label={label}
      value={draft[setting]}
      change={(value) => change(setting, value)}
      error={problems[setting]}
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

function textInput(maxLength: number, whenNew: TextInputProps = {}) {
  return ({ label, value, change, error, isNew }: InputProps<string>) => (
    <TextInput
      label={label}
      maxLength={maxLength}
      value={value}
      onChange={textTo(change)}
      error={error}
      {...(isNew && whenNew)}
    />
  );
}

function listInput(kind: 'scopes' | 'tags', options: TagsInputProps, clean = (entries: string[]) => entries) {
  return ({ teamId, label, value, change, error }: InputProps<readonly string[]>) => (
    <TagsInput
      {...options}
      {...useSuggestions(teamId, kind)}
      label={label}
      description="Press Enter after each one."
      // A list of many entries scrolls, so that its form fits on a screen.
      styles={{ input: { maxHeight: '12rem', overflowY: 'auto' } }}
      value={[...value]}
      onChange={(entries) => change(clean(entries))}
      error={error}
    />
  );
}

export function SourcesInput(props: TextareaProps) {
  return (
    <Textarea
      className="sources"
      // Each problem is a line of its own.
      styles={{ error: { whiteSpace: 'pre-line' } }}
      description="One per line. Empty: every source."
      placeholder={'203.0.113.9\n10.0.0.0/8 # our network\nvpn.example.com'}
      autosize
      maxRows={12}
      spellCheck={false}
      {...props}
    />
  );
}

function RateLimitInput({ label, value, change, error }: InputProps<KeyDraft['rateLimit']>) {
  return (
    <Group align="start" gap="xs">
      <NumberInput
        label={label}
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
