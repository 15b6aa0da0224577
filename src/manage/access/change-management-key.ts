import type { ManagementKey } from '../../domain/access/management-key.ts';
import { changesBetween } from '../../domain/audit-entry.ts';
import type { EventAction } from '../../domain/event/event-types.ts';
import type { TeamPolicies } from '../../domain/policy/team-policies.ts';
import type { Change, Decision, NewEntry } from '../../store/changes/change.ts';
import { type GovernedManagementKey, managementKeyWithPolicies } from '../../store/rows/management-keys.ts';
import { type Caller, entryBy, type Management } from '../management.ts';
import { authorizeCredential, revocationsOf } from './credentials.ts';

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
  const found = authorizeCredential(caller, await store.managementKeys.find(id), 'management key');
  if (isCounted) budget.check(found.teamId);
  const unchanged = decide(found);
  if (unchanged.write === undefined) return unchanged.answer;
  const change: Change<Answer, GovernedManagementKey> = {
    queueKey: isCounted ? found.teamId : revocationsOf(found.teamId),
    caller,
    load: managementKeyWithPolicies(id),
    decide: ({ key, policies }) => decide(authorizeCredential(caller, key, 'management key'), policies),
  };
  return await store.changes.submit(isCounted ? budget.counted(change) : change);
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
