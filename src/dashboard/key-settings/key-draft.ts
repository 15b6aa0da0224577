/** Drafts of a key's settings, which forms edit, and the changes that forms send. */
import { type SettingName, settingNames } from '../../domain/key/settings.ts';
import type { UpdateKeyInput } from '../generated/graphql.ts';
import { type KeyDraft, type SettingValues, settingFields } from './setting-fields.ts';

export const formOrder = Object.keys(settingFields).filter((name): name is SettingName => name in settingFields);

function mapSettings<T extends Record<SettingName, unknown>>(
  map: <S extends SettingName>(setting: S) => T[S],
): { readonly [S in SettingName]: T[S] } {
  // The cast is safe, because `map` returns a value of the right type for each setting.
  return Object.fromEntries(settingNames.map((setting) => [setting, map(setting)])) as T;
}

export type Problems = Readonly<Record<SettingName, string | null>>;

export function emptyDraft(): KeyDraft {
  return mapSettings<KeyDraft>((setting) => settingFields[setting].empty);
}

export function draftOf(values: SettingValues): KeyDraft {
  return mapSettings<KeyDraft>((setting) => settingFields[setting].toDraft(values[setting]));
}

export function valuesOf(draft: KeyDraft): SettingValues {
  return mapSettings<SettingValues>((setting) => settingFields[setting].toValue(draft[setting]));
}

export function problemsOf(draft: KeyDraft): Problems {
  return mapSettings<Problems>((setting) => problemOf(setting, draft));
}

export function withLink(draft: KeyDraft, parameters: URLSearchParams): KeyDraft {
  return mapSettings<KeyDraft>((setting) => settingFields[setting].fromLink(parameters, draft[setting]));
}

/** Returns the draft's changes to the settings in `among`; null if an edited setting has a problem. */
export function changesOf(draft: KeyDraft, key: SettingValues, among: readonly SettingName[]): UpdateKeyInput | null {
  const edited = changedAmong(among, draftOf(key), draft);
  if (edited.some((setting) => problemOf(setting, draft) !== null)) return null;
  const values = valuesOf(draft);
  return pick(values, changedAmong(edited, key, values));
}

function problemOf<S extends SettingName>(setting: S, draft: KeyDraft): string | null {
  return settingFields[setting].problem?.(draft[setting]) ?? null;
}

export function changedAmong<T extends KeyDraft | SettingValues>(
  among: readonly SettingName[],
  before: T,
  after: T,
): SettingName[] {
  return among.filter((setting) => !isSame(before[setting], after[setting]));
}

export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
}

export function pick<T extends object>(values: T, names: readonly SettingName[]): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.some((one) => one === name))) as Partial<T>;
}
