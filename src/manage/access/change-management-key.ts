import type { ManagementKey } from '../../domain/access/management-key.ts';
import { changesBetween } from '../../domain/audit-entry.ts';
import { LatchkeyError } from '../../domain/errors.ts';
import type { EventAction } from '../../domain/event/event-types.ts';
import { accessOf } from '../../domain/key/permission.ts';
import type { TeamPolicies } from '../../domain/policy/team-policies.ts';
import type { Change, Decision, NewEntry } from '../../store/changes/change.ts';
import { type GovernedManagementKey, managementKeyWithPolicies } from '../../store/rows/management-keys.ts';
import { type Caller, entryBy, forbidden, type Management } from '../management.ts';

/** Returns the key, if the caller may give access. Callers of other teams get CREDENTIAL_NOT_FOUND, as for an unknown id. */
export function authorizeManagementKey({ session }: Caller, key: ManagementKey | null): ManagementKey {
  const access = key === null ? 'none' : accessOf(session, key.teamId, 'manage_access');
  if (key === null || access === 'none') {
    throw new LatchkeyError('CREDENTIAL_NOT_FOUND', 'There is no management key with this id.');
  }
  if (access === 'lacking') throw forbidden('manage_access');
  return key;
}

/**
 * Checks `manage_access` on the key's team and changes the key. Calls `decide` first without a transaction and, only if it
 * would write, again in a transaction.
 * @param isCounted whether the change counts in the team's budget: if a caller can repeat it without limit. If not, it is a
 *   revocation.
 */
export async function changeManagementKey<Answer>(
  { store, budget }: Management,
  caller: Caller,
  id: string,
  decide: (key: ManagementKey, policies?: TeamPolicies) => Decision<Answer>,
  { isCounted }: { readonly isCounted: boolean },
): Promise<Answer> {
  const found = authorizeManagementKey(caller, await store.managementKeys.find(id));
  if (isCounted) budget.check(found.teamId);
  const unchanged = decide(found);
  if (unchanged.write === undefined) return unchanged.answer;
  const change: Change<Answer, GovernedManagementKey> = {
    queueKey: isCounted ? found.teamId : revocationsOf(found.teamId),
    credential: caller.credential,
    load: managementKeyWithPolicies(id),
    decide: ({ key, policies }) => decide(authorizeManagementKey(caller, key), policies),
  };
  return await store.changes.submit(isCounted ? budget.counted(change) : change);
}

/**
 * The queue key of changes that end what lets a program in. They take turns with the other changes of the team, of which a
 * thief can have a hundred waiting.
 */
export function revocationsOf(teamId: string): string {
  return `revocations ${teamId}`;
}

/** Returns the entry for a change of a management key, which shows the fields that differ. */
export function managementKeyEntry(
  caller: Caller,
  action: EventAction,
  before: ManagementKey | null,
  after: ManagementKey,
): NewEntry {
  const { id, teamId, name, prefix } = after;
  return {
    ...entryBy(caller),
    action,
    keyId: id,
    teamId,
    changes: changesBetween(before === null ? {} : shown(before), shown(after)),
    details: { managementKey: { id, name, prefix } },
  };
}

/** Returns the fields that the audit trail shows: no digest, no envelope. */
function shown(key: ManagementKey) {
  return {
    name: key.name,
    prefix: key.prefix,
    permissions: key.permissions,
    allowedIps: key.allowedIps,
    expiresAt: key.expiresAt.toISOString(),
    signingEnabled: key.signingEnvelope !== null,
    previousSecretExpiresAt: key.previousExpiresAt?.toISOString() ?? null,
    revokedAt: key.revokedAt?.toISOString() ?? null,
  };
}
