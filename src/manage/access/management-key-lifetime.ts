/** How long a management key may live under the policies of its team. */
import { type ManagementKey, managementKeyState } from '../../domain/access/management-key.ts';
import { type KeyEnv, keyEnvs } from '../../domain/key/key-env.ts';
import { noRules, type PolicyRules, stricter } from '../../domain/policy/key-policy.ts';
import type { TeamPolicies } from '../../domain/policy/team-policies.ts';
import { type Change, Decision } from '../../store/changes/change.ts';
import { type GovernedManagementKey, managementKeyWithPolicies } from '../../store/rows/management-keys.ts';
import type { Store } from '../../store/store.ts';
import type { Caller } from '../management.ts';
import { rulesFor } from '../policy/team-rules.ts';
import { revokedBy } from './revoke-management-key.ts';

/** A program manages the keys of both environments, so the shorter lifetime counts. Null: any lifetime is permitted. */
export function maxLifetimeSeconds(
  bounds: PolicyRules,
  policies: TeamPolicies | undefined,
  envs: readonly KeyEnv[] = keyEnvs,
): number | null {
  return envs.map((env) => rulesFor(bounds, policies, env)).reduce(stricter, noRules).maxLifetimeSeconds;
}

/**
 * Revokes the management keys of a team whose secrets are older than the policies permit that are enforced already. Each is
 * decided on the key and the policies in its own transaction. The operator's bounds do not count. Throws UNAVAILABLE.
 */
export async function revokeOutlived(
  store: Pick<Store, 'changes' | 'keyPolicies' | 'managementKeys'>,
  caller: Caller,
  teamId: string,
): Promise<void> {
  const outlived = await outlivedAt(store, teamId, caller.now);
  for (const { id } of outlived) await store.changes.submit(revokingOutlived(caller, id));
}

/** Returns the management keys of a team that `revokeOutlived` will revoke at that time. */
export async function outlivedAt(
  store: Pick<Store, 'keyPolicies' | 'managementKeys'>,
  teamId: string,
  at: Date,
): Promise<readonly ManagementKey[]> {
  const policies = await store.keyPolicies.find(teamId);
  return (await store.managementKeys.list(teamId, 0)).filter((key) => hasOutlived(key, policies, at));
}

function revokingOutlived(caller: Caller, id: string): Change<void, GovernedManagementKey> {
  return {
    queueKey: 'policies',
    load: managementKeyWithPolicies(id),
    decide: ({ key, policies }) =>
      key !== null && hasOutlived(key, policies, caller.now)
        ? new Decision(undefined, revokedBy(caller)(key).write)
        : new Decision(undefined),
  };
}

function hasOutlived(key: ManagementKey, policies: TeamPolicies | undefined, now: Date): boolean {
  const enforced = keyEnvs.filter((env) => {
    const enforceAfter = policies?.[env]?.enforceAfter ?? null;
    return enforceAfter !== null && enforceAfter <= now;
  });
  const max = maxLifetimeSeconds(noRules, policies, enforced);
  const issuedAt = key.rotatedAt ?? key.createdAt;
  return max !== null && managementKeyState(key, now) === 'ACTIVE' && issuedAt.getTime() + max * 1000 < now.getTime();
}
