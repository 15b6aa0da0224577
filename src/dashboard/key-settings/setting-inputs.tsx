import type { SettingName } from '../../domain/key/settings.ts';
import { problemOf } from '../components/field-problems.ts';
import type { Problems } from './key-draft.ts';
import { type KeyDraft, settingFields } from './setting-fields.tsx';

export type ChangeSetting = <S extends SettingName>(setting: S, value: KeyDraft[S]) => void;

interface Props {
  readonly draft: KeyDraft;
  readonly change: ChangeSetting;
  /** The problems to show. */
  readonly problems: Partial<Problems>;
  /** The error of the last submit. */
  readonly error: unknown;
  readonly isNew?: boolean;
}

/** The inputs of some settings. */
export function SettingInputs({ settings, ...props }: Props & { readonly settings: readonly SettingName[] }) {
  return settings.map((setting) => <SettingInput key={setting} setting={setting} {...props} />);
}

function SettingInput<S extends SettingName>({ setting, ...props }: Props & { readonly setting: S }) {
  const { draft, change, problems, error, isNew = false } = props;
  const { Input } = settingFields[setting];
  return (
    <Input
      value={draft[setting]}
      change={(value) => change(setting, value)}
      error={problems[setting] ?? problemOf(error, setting)}
      isNew={isNew}
    />
  );
}
