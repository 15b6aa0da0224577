import {
  Alert,
  Group,
  NativeSelect,
  NumberInput,
  Stack,
  Text,
  Textarea,
  type TextareaProps,
  TextInput,
  type TextInputProps,
} from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';
import type { ChangeEvent, ReactNode } from 'react';
import type { SettingName } from '../../domain/key/settings.ts';
import { limits } from '../../domain/limits.ts';
import type { PolicyRules } from '../../domain/policy/key-policy.ts';
import { ConfirmDialog, type ConfirmProps } from '../components/confirm-dialog.tsx';
import { DocsLink } from '../components/docs-link.tsx';
import { withChoice } from '../components/form/choices.ts';
import { PillsInput } from '../components/form/pills-input.tsx';
import { formatNumber, formatRate } from '../components/format.ts';
import { wideSources } from './allowed-sources.ts';
import { expiryBounds } from './expiry-bounds.ts';
import { ExpiryInput, type LeftExpiry } from './expiry-input.tsx';
import { type KeyDraft, settingFields } from './fields.ts';
import { useSuggestions } from './suggestions.ts';

interface Context {
  readonly teamId: string;
  /** Whether the form creates a key. */
  readonly isNew?: boolean;
  /** What the policy demands of the key, if it is known. */
  readonly rules?: PolicyRules | undefined;
  /** When the secret of the key was issued; absent for a new key. */
  readonly issuedAt?: string;
  readonly leftExpiry?: LeftExpiry;
}

/** The properties of `getInputProps` for a field of a form, and its label. */
interface FieldProps<Draft> {
  readonly label: string;
  readonly value: Draft;
  readonly onChange: (value: Draft | ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => void;
  readonly error?: ReactNode;
}

type Input<Draft> = (props: { readonly field: FieldProps<Draft> } & Context) => ReactNode;

const newName = {
  description: `A label for people, up to ${limits.nameCharacters} characters.`,
  withAsterisk: true,
  required: true,
  'data-autofocus': true,
};

const inputs: { readonly [S in SettingName]: Input<KeyDraft[S]> } = {
  name: textInput(limits.nameCharacters, newName),
  description: textInput(limits.descriptionCharacters),
  expiresAt: ({ field: { value, onChange, error }, isNew = false, rules, issuedAt, leftExpiry }) => (
    <ExpiryInput
      value={value}
      onChange={onChange}
      error={error}
      isNew={isNew}
      left={leftExpiry}
      {...expiryBounds(rules, issuedAt)}
    />
  ),
  allowedIps: ({ field }) => <SourcesInput minRows={2} {...field} />,
  scopes: listInput('scopes'),
  rateLimit: RateLimitInput,
  externalId: textInput(limits.externalIdCharacters),
  responsible: textInput(limits.responsibleCharacters),
  tags: listInput('tags'),
  metadata: ({ field }) => (
    <Textarea
      classNames={{ input: 'code' }}
      placeholder={'{"plan": "free"}'}
      autosize
      minRows={2}
      maxRows={12}
      spellCheck={false}
      {...field}
    />
  ),
};

interface Props extends Context {
  readonly settings: readonly SettingName[];
  /** Of the form that edits the draft of the key. */
  readonly getInputProps: (setting: SettingName) => GetInputPropsReturnType;
}

export function SettingInputs({ settings, ...props }: Props) {
  return settings.map((setting) => <SettingInput key={setting} setting={setting} {...props} />);
}

type InputProps<S> = Omit<Props, 'settings'> & { readonly setting: S };

function SettingInput<S extends SettingName>({ setting, getInputProps, ...context }: InputProps<S>) {
  const Input: Input<KeyDraft[S]> = inputs[setting];
  const { label, help, codes = [] } = settingFields[setting];
  const { value, onChange, error } = getInputProps(setting);
  const input = <Input field={{ label, value, onChange, error }} {...context} />;
  if (help === undefined) return input;
  return (
    <DocsLink about={label} help={help} codes={codes}>
      {input}
    </DocsLink>
  );
}

function textInput(maxLength: number, whenNew: TextInputProps = {}): Input<string> {
  return ({ field, isNew }) => <TextInput maxLength={maxLength} {...field} {...(isNew && whenNew)} />;
}

function listInput(kind: 'scopes' | 'tags'): Input<readonly string[]> {
  return ({ teamId, field, rules }) => {
    const permitted = (kind === 'scopes' ? rules?.scopes : null) ?? null;
    const suggestions = useSuggestions(
      teamId,
      kind,
      permitted?.map(({ name }) => name),
    );
    const described = permitted !== null && {
      renderOption: ({ option: { value } }: { readonly option: { readonly value: string } }) => (
        <Stack gap={0}>
          <Text size="sm">{value}</Text>
          <Text size="xs" c="dimmed">
            {permitted.find(({ name }) => name === value)?.description}
          </Text>
        </Stack>
      ),
    };
    return <PillsInput kind={kind} maxTags={limits[kind]} {...suggestions} {...described} {...field} />;
  };
}

export function SourcesInput(props: Omit<TextareaProps, 'value'> & { readonly value: string }) {
  const wide = wideSources(props.value);
  return (
    <>
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
      {wide !== null && (
        <Alert role="status" color="yellow">
          With this list, {wide} can use the key. A leaked secret would work from there.
        </Alert>
      )}
    </>
  );
}

/** A form asks before it saves a list that hardly protects the key. */
export function WideSourcesDialog({
  text,
  ...dialog
}: Omit<ConfirmProps, 'title' | 'children' | 'confirmLabel'> & { readonly text: string }) {
  const allowed = wideSources(text) ?? 'every source';
  return (
    <ConfirmDialog {...dialog} title={`Allow ${allowed}?`} confirmLabel={`Allow ${allowed}`} color="red">
      <Text>
        {text.trim() === ''
          ? 'Without allowed sources, the key can be used from anywhere.'
          : `With this list, ${allowed} can use the key.`}{' '}
        A leaked secret would work too.
      </Text>
    </ConfirmDialog>
  );
}

const windows = [
  { value: '1', label: 'second' },
  { value: '60', label: 'minute' },
  { value: '3600', label: 'hour' },
  { value: '86400', label: 'day' },
];

interface RateLimitProps extends Pick<Context, 'rules'> {
  readonly field: FieldProps<KeyDraft['rateLimit']>;
}

export function RateLimitInput({ field, rules }: RateLimitProps) {
  const max = rules?.maxRateLimit ?? null;
  const { label, value, onChange, error } = field;
  const windowSeconds = String(value.windowSeconds);
  return (
    <Group align="start" gap="xs">
      <NumberInput
        label={label}
        placeholder={max === null ? 'No limit' : formatNumber(max.limit)}
        // What a form sends for none.
        description={
          max !== null && value.limit === '' && `The policy permits: ${formatRate(max.limit, max.windowSeconds)}`
        }
        min={1}
        max={limits.rateLimit}
        // With clamping, pressing Save would change an invalid number and save it.
        clampBehavior="none"
        allowDecimal={false}
        allowNegative={false}
        thousandSeparator=","
        hideControls
        value={value.limit}
        onChange={(limit) => onChange({ ...value, limit })}
        error={error}
      />
      <NativeSelect
        label="Per"
        data={withChoice(windows, windowSeconds, (seconds) => `${seconds} seconds`)}
        value={windowSeconds}
        onChange={({ currentTarget }) => onChange({ ...value, windowSeconds: Number(currentTarget.value) })}
      />
    </Group>
  );
}
