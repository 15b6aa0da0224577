import type { StoredKey } from '../../domain/key/api-key.ts';
import type { Caller } from '../caller.ts';
import type { Management } from '../management.ts';
import { changeKey, rejectRevoked, write } from './change-key.ts';

/**
 * Ends the overlap of a rotation: the previous secret of the key, and its previous signing secret, are not accepted
 * anymore. Changes nothing if there is no overlap. Needs `manage_keys`.
 * Throws KEY_NOT_FOUND, FORBIDDEN, KEY_REVOKED, UNAVAILABLE.
 */
export async function endOverlap(management: Management, caller: Caller, id: string): Promise<StoredKey> {
  return await changeKey(management, caller, id, (key, revision) => {
    rejectRevoked(key);
    if (key.previousExpiresAt === null && key.previousSigningEnvelope === null) return { answer: key };
    const ended: StoredKey = {
      ...key,
      // Null instead of the present time: the clock of another instance may be behind.
      previousExpiresAt: null,
      previousSigningEnvelope: null,
      previousSigningVersion: null,
      previousSigningExpiresAt: null,
      revision,
    };
    return write(caller, 'OVERLAP_ENDED', key, ended, ended);
  });
}
