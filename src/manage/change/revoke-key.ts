import { type StoredKey, unsigned } from '../../domain/key/api-key.ts';
import type { Decision } from '../../store/changes/change.ts';
import type { Caller } from '../caller.ts';
import type { Management } from '../management.ts';
import { changeKey, write } from './change-key.ts';

/**
 * Revokes a key permanently and deletes its signing secret. Revoking a revoked key changes nothing. Needs `manage_keys`.
 * Throws KEY_NOT_FOUND, FORBIDDEN, UNAVAILABLE.
 */
export async function revokeKey(management: Management, caller: Caller, id: string): Promise<StoredKey> {
  return await changeKey(management, caller, id, (key, revision) => revoked(caller, key, revision));
}

/** Returns the decision to revoke a key. The caller of this function has checked the permission. */
export function revoked(caller: Caller, key: StoredKey, revision: bigint): Decision<StoredKey> {
  if (key.revokedAt !== null) return { answer: key };
  const after: StoredKey = { ...key, revokedAt: caller.now, ...unsigned, revision };
  return write(caller, 'KEY_REVOKED', key, after, after);
}
