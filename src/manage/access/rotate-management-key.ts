import { type ManagementKey, managementKeyState } from '../../domain/access/management-key.ts';
import { LatchkeyError } from '../../domain/errors.ts';
import { parseFields } from '../../domain/parse-fields.ts';
import type { TeamPolicies } from '../../domain/policy/team-policies.ts';
import { parseOverlap } from '../../domain/secret/rotated-secret.ts';
import { mintSecret } from '../../domain/secret/secret.ts';
import { digestSecret } from '../../domain/secret/secret-digest.ts';
import { Decision } from '../../store/changes/change.ts';
import { writeManagementKey } from '../../store/rows/management-keys.ts';
import { authorizeTeam, type Caller, type Management } from '../management.ts';
import { changeManagementKey, managementKeyEntry } from './change-management-key.ts';
import { maxLifetimeSeconds } from './management-key-lifetime.ts';

export interface RotatedManagementKey {
  readonly managementKey: ManagementKey;
  /** The full new key. It is not stored. */
  readonly secret: string;
}

/**
 * Replaces the secret of a management key. The previous secret is accepted until the overlap ends; one before it is not.
 * The expiry stays, unless the policy of the team permits only an earlier one, and no overlap is longer. Needs
 * `manage_access` on its team, and the permissions of the key.
 * Throws CREDENTIAL_NOT_FOUND, FORBIDDEN, BAD_USER_INPUT (overlapSeconds), KEY_REVOKED, RATE_LIMITED, UNAVAILABLE.
 */
export async function rotateManagementKey(
  management: Management,
  caller: Caller,
  id: string,
  overlapSeconds: number,
): Promise<RotatedManagementKey> {
  const { keyTag, peppers, randomBytes, policyBounds } = management;
  const overlapMs = 1000 * parseFields({ overlapSeconds: parseOverlap(overlapSeconds) }).overlapSeconds;
  const { secret, prefix } = mintSecret(keyTag, 'mgmt', randomBytes);
  const decide = (key: ManagementKey, policies?: TeamPolicies): Decision<RotatedManagementKey> => {
    const maxSeconds = maxLifetimeSeconds(policyBounds, policies) ?? Number.POSITIVE_INFINITY;
    // Who gets the new secret can do what the key can.
    for (const permission of key.permissions) authorizeTeam(caller, key.teamId, permission);
    if (managementKeyState(key, caller.now) === 'REVOKED') {
      throw new LatchkeyError('KEY_REVOKED', 'The management key is revoked. Make another one.');
    }
    const expiresAt = new Date(Math.min(key.expiresAt.getTime(), caller.now.getTime() + maxSeconds * 1000));
    const overlapEnd = new Date(Math.min(expiresAt.getTime(), caller.now.getTime() + overlapMs));
    const managementKey: ManagementKey = {
      ...key,
      expiresAt,
      prefix,
      digest: digestSecret(secret, peppers.current),
      pepperId: peppers.current.id,
      secretVersion: key.secretVersion + 1,
      rotatedAt: caller.now,
      previousPrefix: key.prefix,
      // Without an overlap, the previous secret is not even found.
      previousDigest: overlapMs === 0 ? null : key.digest,
      previousPepperId: overlapMs === 0 ? null : key.pepperId,
      previousExpiresAt: overlapMs === 0 ? null : overlapEnd,
    };
    const entries = [managementKeyEntry(caller, 'ACCESS_KEY_ROTATED', key, managementKey)];
    return new Decision({ managementKey, secret }, { entries, rows: [writeManagementKey(managementKey)] });
  };
  return await changeManagementKey(management, caller, id, decide, { isCounted: true });
}
