import type { ManagementKey } from '../../domain/access/management-key.ts';
import { Decision } from '../../store/changes/change.ts';
import { writeManagementKey } from '../../store/rows/management-keys.ts';
import type { Caller, Management } from '../management.ts';
import { changeManagementKey, managementKeyEntry } from './change-management-key.ts';

/**
 * Revokes a management key. When this returns, no instance accepts it, and no change made with it is committed anymore.
 * Changes nothing if it is revoked. Needs `manage_access` on its team.
 * Throws CREDENTIAL_NOT_FOUND, FORBIDDEN, UNAVAILABLE.
 */
export async function revokeManagementKey(management: Management, caller: Caller, id: string): Promise<ManagementKey> {
  // Revoking must always work, and is possible only once for each key, so it does not count.
  return await changeManagementKey(management, caller, id, revokedBy(caller), { isCounted: false });
}

export function revokedBy(caller: Caller) {
  return (key: ManagementKey): Decision<ManagementKey> => {
    if (key.revokedAt !== null) return new Decision(key);
    const after: ManagementKey = {
      ...key,
      revokedAt: caller.now,
      previousDigest: null,
      previousPepperId: null,
      previousExpiresAt: null,
      signingEnvelope: null,
    };
    const entries = [managementKeyEntry(caller, 'ACCESS_KEY_REVOKED', key, after)];
    return new Decision(after, { entries, rows: [writeManagementKey(after)] });
  };
}
