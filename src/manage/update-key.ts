import { isDeepStrictEqual } from 'node:util';
import type { ApiKey, StoredKey } from '../domain/api-key.ts';
import { LatchkeyError } from '../domain/errors.ts';
import { parseExpiry } from '../domain/expiry.ts';
import { parseFields, parseOptional } from '../domain/parse-fields.ts';
import { rejected } from '../domain/parsed.ts';
import type { Caller } from './caller.ts';
import { changeKeyWithinBudget, rejectRevoked, write } from './change-key.ts';
import { parseAllowedIps, parseName } from './fields.ts';
import type { Management } from './management.ts';

/** An absent field stays as it is. Null removes the expiry, and is rejected for other fields. */
export interface UpdateKeyInput {
  readonly name?: string | null | undefined;
  readonly allowedIps?: readonly string[] | null | undefined;
  readonly expiresAt?: Date | null | undefined;
}

type ChangedFields = Partial<Pick<ApiKey, 'name' | 'allowedIps' | 'expiresAt'>>;

/**
 * Changes the given fields of a key. Writes nothing if no field differs. With `ifRevision`, changes the key only if it
 * has one of these revisions, so that a caller does not overwrite changes that it has not seen. Needs `manage_keys`.
 * Throws KEY_NOT_FOUND, FORBIDDEN, BAD_USER_INPUT (name, allowedIps, expiresAt), KEY_REVOKED, PRECONDITION_FAILED,
 * RATE_LIMITED, UNAVAILABLE.
 */
export async function updateKey(
  management: Management,
  caller: Caller,
  id: string,
  input: UpdateKeyInput,
  ifRevision?: readonly string[] | null,
): Promise<StoredKey> {
  const fields = parse(input, caller.now);
  return await changeKeyWithinBudget(management, caller, id, (key, revision) => {
    rejectRevoked(key);
    const changed: StoredKey = { ...key, ...fields };
    // Not an error even if the revision differs: a caller can repeat a change whose response was lost (RFC 9110,
    // section 13.1.1), and nothing is overwritten.
    if (isDeepStrictEqual(changed, key)) return { answer: key };
    if (ifRevision != null && !ifRevision.includes(management.revisions.encode(key.revision))) {
      throw new LatchkeyError(
        'PRECONDITION_FAILED',
        'The key has another revision. Nothing was changed. Read the key again.',
      );
    }
    return write(caller, 'KEY_UPDATED', key, changed, { ...changed, revision });
  });
}

function parse({ name, allowedIps, expiresAt }: UpdateKeyInput, now: Date): ChangedFields {
  return parseFields({
    ...(name === undefined ? {} : { name: name === null ? rejected(nullName) : parseName(name) }),
    ...(allowedIps === undefined
      ? {}
      : { allowedIps: allowedIps === null ? rejected(nullAllowedIps) : parseAllowedIps(allowedIps) }),
    ...(expiresAt === undefined ? {} : { expiresAt: parseOptional(expiresAt, (moment) => parseExpiry(moment, now)) }),
  });
}

const nullName = 'must not be null: omit it to keep the current name';
const nullAllowedIps = 'must not be null: omit it to keep the current list, or send [] to allow every source';
