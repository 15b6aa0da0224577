import { isDeepStrictEqual } from 'node:util';
import type { StoredKey } from '../../domain/key/api-key.ts';
import { type KeySettings, type KeySettingsInput, parseChangedSettings } from '../../domain/key/settings.ts';
import { parseFields, withoutUnchanged } from '../../domain/parse-fields.ts';
import { Decision } from '../../store/changes/change.ts';
import type { Caller, Management } from '../management.ts';
import { changed, changeKey, type Decide, ifRevisionMatches, unlessRevoked } from './change-key.ts';

/**
 * Changes the given settings of a key; with `ifRevision`, only if it has one of these revisions. Needs `manage_keys`.
 * Throws KEY_NOT_FOUND, FORBIDDEN, BAD_USER_INPUT, KEY_REVOKED, POLICY_VIOLATED, PRECONDITION_FAILED, RATE_LIMITED,
 * UNAVAILABLE.
 */
export async function updateKey(
  management: Management,
  caller: Caller,
  id: string,
  input: KeySettingsInput,
  ifRevision?: readonly string[] | null,
): Promise<StoredKey> {
  const parsed = parseChangedSettings(input, caller.now);
  const decide = updated(caller, (key) => parseFields(withoutUnchanged(parsed, input, key)));
  return await changeKey(management, caller, id, ifRevisionMatches(management, ifRevision, decide), management);
}

export function updated(caller: Caller, settingsFor: (key: StoredKey) => Partial<KeySettings>): Decide<StoredKey> {
  return unlessRevoked((key, revision) => {
    const after = { ...key, ...settingsFor(key) };
    return isDeepStrictEqual(after, key)
      ? new Decision(key)
      : changed(caller, 'KEY_UPDATED', key, { ...after, revision });
  });
}
