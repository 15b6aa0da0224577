/** The settings of a key, and what differs between two states of them. */
import type { UpdateKeyInput } from '../generated/graphql.ts';
import type { Key } from '../key/key-change.ts';

const settingNames = [
  'name',
  'expiresAt',
  'allowedIps',
  'scopes',
  'externalId',
  'tags',
  'metadata',
  'rateLimit',
] as const satisfies readonly (keyof UpdateKeyInput & keyof Key)[];
export type Setting = (typeof settingNames)[number];
export type Settings = Pick<Key, Setting>;

export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
}

/** Returns the settings that differ. */
export function changedSettings(before: Settings, after: Settings): Setting[] {
  return settingNames.filter((name) => !isSame(before[name], after[name]));
}

/** Returns an input without the settings that it leaves as they are. */
export function changesOf(wanted: UpdateKeyInput, key: Settings): UpdateKeyInput {
  const changed = settingNames.filter((name) => wanted[name] !== undefined && !isSame(wanted[name], key[name]));
  return pick(wanted, changed);
}

export function pick(input: UpdateKeyInput, names: readonly Setting[]): UpdateKeyInput {
  return Object.fromEntries(Object.entries(input).filter(([name]) => names.some((one) => one === name)));
}
