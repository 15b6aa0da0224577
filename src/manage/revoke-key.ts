import type { ApiKey } from '../domain/api-key.ts';
import type { Caller } from './caller.ts';
import { changeKey, write } from './change-key.ts';
import type { Management } from './management.ts';

/**
 * Revokes a key for good and forgets its signing secret. Revoking a revoked key changes nothing. Needs `manage_keys`.
 * Throws KEY_NOT_FOUND, FORBIDDEN, UNAVAILABLE.
 */
export async function revokeKey(management: Management, caller: Caller, id: string): Promise<ApiKey> {
  return await changeKey(management, caller, id, (key) => {
    if (key.revokedAt !== null) return { answer: key };
    const revoked: ApiKey = { ...key, revokedAt: caller.now, signingEnvelope: null };
    return write(caller, 'KEY_REVOKED', key, revoked, revoked);
  });
}
