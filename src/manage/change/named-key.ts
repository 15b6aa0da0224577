/** The one unrevoked key of a team and environment with an external id. */
import { LatchkeyError } from '../../domain/errors.ts';
import type { KeyEnv, StoredKey } from '../../domain/key/api-key.ts';
import { settings } from '../../domain/key/settings.ts';
import { limits } from '../../domain/limits.ts';
import { parseFields } from '../../domain/parse-fields.ts';
import { authorizeTeam, type Caller, type Management } from '../management.ts';
import { revokeKey } from './key-state.ts';

export interface KeyName {
  readonly teamId: string;
  readonly env: KeyEnv;
  readonly externalId: string;
}

/** Returns the one unrevoked key with an external id. Needs `view_team`. Throws KEY_NOT_FOUND, EXTERNAL_ID_AMBIGUOUS, FORBIDDEN. */
export async function readNamedKey({ store }: Management, caller: Caller, name: KeyName): Promise<StoredKey> {
  authorizeTeam(caller, name.teamId, 'view_team');
  return onlyOne(await store.keys.findByExternalName(asStored(name)));
}

/**
 * Revokes the one unrevoked key with an external id. Needs `manage_keys`.
 * Throws KEY_NOT_FOUND, also after it was revoked, EXTERNAL_ID_AMBIGUOUS, FORBIDDEN, UNAVAILABLE.
 */
export async function revokeNamedKey(management: Management, caller: Caller, name: KeyName): Promise<StoredKey> {
  authorizeTeam(caller, name.teamId, 'manage_keys');
  const { id } = onlyOne(await management.store.keys.findByExternalName(asStored(name)));
  return await revokeKey(management, caller, id);
}

function asStored(name: KeyName): KeyName {
  return { ...name, ...parseFields({ externalId: settings.externalId.parse(name.externalId) }) };
}

function onlyOne(keys: readonly StoredKey[]): StoredKey {
  const [key, ...others] = keys;
  if (key === undefined) throw new LatchkeyError('KEY_NOT_FOUND', 'There is no key with this external id.');
  if (others.length > 0) throw ambiguous(keys);
  return key;
}

export function ambiguous(keys: readonly StoredKey[]): LatchkeyError {
  const keyIds = keys.map(({ id }) => id);
  const more = keys.length < limits.ambiguousKeys ? '' : ' or more';
  const message = `${keys.length}${more} keys have this external id. Change or revoke the others by their ids.`;
  return new LatchkeyError('EXTERNAL_ID_AMBIGUOUS', message, { keyIds });
}
