import { noSubject } from '../../domain/audit-entry.ts';
import { defaultLeakPolicy, type LeakPolicy } from '../../domain/leak.ts';
import { authorizeTeam, type Caller, type Management } from '../management.ts';

/** Returns what happens to a leaked key of a team. Needs `view_team`. Throws FORBIDDEN, UNAVAILABLE. */
export async function readLeakPolicy({ store }: Management, caller: Caller, teamId: string): Promise<LeakPolicy> {
  authorizeTeam(caller, teamId, 'view_team');
  return (await store.leakPolicies.find(teamId)) ?? defaultLeakPolicy;
}

/**
 * Chooses what happens to a leaked key of a team. Writes nothing if it is chosen already. Needs `manage_keys`.
 * Throws FORBIDDEN, RATE_LIMITED, UNAVAILABLE.
 */
export async function setLeakPolicy(
  { store, budget }: Management,
  caller: Caller,
  teamId: string,
  policy: LeakPolicy,
): Promise<LeakPolicy> {
  authorizeTeam(caller, teamId, 'manage_keys');
  await budget.check(teamId);
  const before = (await store.leakPolicies.find(teamId)) ?? defaultLeakPolicy;
  if (before === policy) return policy;
  budget.countEntry(teamId);
  await store.leakPolicies.set(teamId, policy, {
    action: 'LEAK_POLICY_CHANGED',
    keyId: noSubject,
    teamId,
    actor: caller.session.subject,
    actorKind: caller.actorKind,
    source: caller.source,
    requestId: caller.requestId,
    at: caller.now,
    changes: [{ field: 'leakPolicy', before, after: policy }],
    details: { policy },
  });
  return policy;
}
