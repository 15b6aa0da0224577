/** Drafts of a key's settings, which forms edit. */
import { type SettingName, settingNames } from '../../domain/key/settings.ts';
import { type KeyDraft, type SettingValues, settingFields } from './fields.ts';

function mapSettings<T extends Record<SettingName, unknown>>(map: <S extends SettingName>(setting: S) => T[S]): T {
  // The cast is safe, because `map` returns a value of the right type for each setting.
  return Object.fromEntries(settingNames.map((setting) => [setting, map(setting)])) as T;
}

/** @param values absent for an empty form */
export function draftOf(values?: SettingValues): KeyDraft {
  return mapSettings<KeyDraft>((setting) => settingFields[setting].toDraft(values?.[setting] ?? null));
}

/**
 * Converts a draft without problems.
 * @param now from which an expiry in days counts
 */
export function valuesOf(draft: KeyDraft, now = Date.now()): SettingValues {
  return mapSettings<SettingValues>((setting) => settingFields[setting].toValue(draft[setting], now));
}

export function problemsOf(draft: KeyDraft): Readonly<Record<SettingName, string | null>> {
  return mapSettings((setting) => settingFields[setting].problem?.(draft[setting]) ?? null);
}

export function withLink(draft: KeyDraft, parameters: URLSearchParams): KeyDraft {
  return mapSettings<KeyDraft>((setting) => settingFields[setting].fromLink(parameters, draft[setting]));
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
