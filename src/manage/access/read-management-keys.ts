import type { ManagementKey } from '../../domain/access/management-key.ts';
import { authorizeTeam, type Caller, type Management } from '../management.ts';
import { authorizeCredential } from './credentials.ts';

const maxRevoked = 10;

/**
 * Returns the management keys of a team, newest first: those that are not revoked, and the last revoked ones. Needs
 * `manage_access`.
 * Throws FORBIDDEN, UNAVAILABLE.
 */
export async function listManagementKeys(
  { store }: Management,
  caller: Caller,
  teamId: string,
): Promise<readonly ManagementKey[]> {
  authorizeTeam(caller, teamId, 'manage_access');
  return await store.managementKeys.list(teamId, maxRevoked);
}

/** Returns a management key. Needs `manage_access` on its team. Throws CREDENTIAL_NOT_FOUND, FORBIDDEN, UNAVAILABLE. */
export async function readManagementKey({ store }: Management, caller: Caller, id: string): Promise<ManagementKey> {
  return authorizeCredential(caller, await store.managementKeys.find(id), 'management key');
}
