import { isDeepStrictEqual } from 'node:util';
import type { StoredKey } from '../domain/api-key.ts';
import { parseFields } from '../domain/parse-fields.ts';
import type { Caller } from './caller.ts';
import { changeKeyWithinBudget, checkRevision, rejectRevoked, write } from './change-key.ts';
import { type KeySettingsInput, parseChangedSettings } from './key-settings.ts';
import type { Management } from './management.ts';

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
  const settings = parseFields(parseChangedSettings(input, caller.now));
  return await changeKeyWithinBudget(management, caller, id, (key, revision) => {
    rejectRevoked(key);
    const changed: StoredKey = { ...key, ...settings };
    // Not an error even if the revision differs: a caller can repeat a change whose response was lost (RFC 9110,
    // section 13.1.1), and nothing is overwritten.
    if (isDeepStrictEqual(changed, key)) return { answer: key };
    checkRevision(management, key, ifRevision);
    return write(caller, 'KEY_UPDATED', key, changed, { ...changed, revision });
  });
}
