import { isDeepStrictEqual } from 'node:util';
import type { ApiKey } from '../domain/api-key.ts';
import type { Caller } from './caller.ts';
import { changeKey, refuseRevoked, write } from './change-key.ts';
import { Fields } from './fields.ts';
import type { Management } from './management.ts';

/** An absent field stays as it is. Null removes the expiry, and is refused elsewhere. */
export interface UpdateKeyInput {
  readonly name?: string | null | undefined;
  readonly allowedIps?: readonly string[] | null | undefined;
  readonly expiresAt?: Date | null | undefined;
}

type ChangedFields = Partial<Pick<ApiKey, 'name' | 'allowedIps' | 'expiresAt'>>;

/**
 * Changes the given fields of a key; where nothing differs, nothing is written. Needs `manage_keys`.
 * Throws KEY_NOT_FOUND, FORBIDDEN, BAD_USER_INPUT (name, allowedIps, expiresAt), KEY_REVOKED, UNAVAILABLE.
 */
export async function updateKey(
  management: Management,
  caller: Caller,
  id: string,
  input: UpdateKeyInput,
): Promise<ApiKey> {
  const fields = parse(input, caller.now);
  return await changeKey(management, caller, id, (key) => {
    refuseRevoked(key);
    const changed: ApiKey = { ...key, ...fields };
    return isDeepStrictEqual(changed, key) ? { answer: key } : write(caller, 'KEY_UPDATED', key, changed, changed);
  });
}

function parse({ name, allowedIps, expiresAt }: UpdateKeyInput, now: Date): ChangedFields {
  const fields = new Fields();
  const changed: { -readonly [Field in keyof ChangedFields]: ChangedFields[Field] } = {};
  if (name === null) fields.refuse('name', 'must not be null: leave it out to keep it');
  else if (name !== undefined) changed.name = fields.name(name);
  if (allowedIps === null)
    fields.refuse('allowedIps', 'must not be null: leave it out to keep it, or give [] to lift the restriction');
  else if (allowedIps !== undefined) changed.allowedIps = fields.allowedIps(allowedIps);
  if (expiresAt !== undefined) changed.expiresAt = fields.expiry(expiresAt, now);
  return fields.done(changed);
}
