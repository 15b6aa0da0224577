import { isDeepStrictEqual } from 'node:util';
import type { StoredKey } from '../../domain/key/api-key.ts';
import { type KeySettings, type KeySettingsInput, parseChangedSettings } from '../../domain/key/settings.ts';
import { parseFields } from '../../domain/parse-fields.ts';
import type { Caller } from '../caller.ts';
import type { Management } from '../management.ts';
import { changeKeyWithinBudget, type Decide, ifRevisionMatches, rejectRevoked, write } from './change-key.ts';

export type UpdateKeyInput = KeySettingsInput;

/**
 * Changes the given fields of a key. Writes nothing if no field differs. With `ifRevision`, changes the key only if it
 * has one of these revisions, so that a caller does not overwrite changes that it has not seen. Needs `manage_keys`.
 * Throws KEY_NOT_FOUND, FORBIDDEN, BAD_USER_INPUT (the settings), KEY_REVOKED, PRECONDITION_FAILED,
 * RATE_LIMITED, UNAVAILABLE.
 */
export async function updateKey(
  management: Management,
  caller: Caller,
  id: string,
  input: UpdateKeyInput,
  ifRevision?: readonly string[] | null,
): Promise<StoredKey> {
  const decide = updated(caller, parseFields(parseChangedSettings(input, caller.now)));
  return await changeKeyWithinBudget(management, caller, id, ifRevisionMatches(management, ifRevision, decide));
}

/** Decides to change the settings of a key, if one of them differs. */
export function updated(caller: Caller, settings: Partial<KeySettings>): Decide<StoredKey> {
  return (key, revision) => {
    rejectRevoked(key);
    const changed: StoredKey = { ...key, ...settings };
    if (isDeepStrictEqual(changed, key)) return { answer: key };
    const after = { ...changed, revision };
    return write(caller, 'KEY_UPDATED', key, after, after);
  };
}
