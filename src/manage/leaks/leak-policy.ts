import { noSubject } from '../../domain/audit-entry.ts';
import { defaultLeakPolicy, type LeakPolicy } from '../../domain/leak.ts';
import { Decision, type NewEntry } from '../../store/changes/change.ts';
import { leakPolicyOf, writeLeakPolicy } from '../../store/rows/leak-policies.ts';
import { authorizeTeam, type Caller, entryBy, type Management, rejectProgram } from '../management.ts';

/** Returns what happens to a leaked key of a team. Needs `view_team`. Throws FORBIDDEN, UNAVAILABLE. */
export async function readLeakPolicy({ store }: Management, caller: Caller, teamId: string): Promise<LeakPolicy> {
  authorizeTeam(caller, teamId, 'view_team');
  return (await store.leakPolicies.find(teamId)) ?? defaultLeakPolicy;
}

/**
 * Chooses what happens to a leaked key of a team. Writes nothing if it is chosen already. Needs `manage_keys`, of a person:
 * a program could choose that the leak of its own management key has no consequence.
 * Throws FORBIDDEN, RATE_LIMITED, UNAVAILABLE.
 */
export async function setLeakPolicy(
  { store, budget }: Management,
  caller: Caller,
  teamId: string,
  policy: LeakPolicy,
): Promise<LeakPolicy> {
  authorizeTeam(caller, teamId, 'manage_keys');
  rejectProgram(caller);
  budget.check(teamId);
  const decide = (current: LeakPolicy | null): Decision<LeakPolicy> => {
    const before = current ?? defaultLeakPolicy;
    if (before === policy) return new Decision(policy);
    const entry: NewEntry = {
      ...entryBy(caller),
      action: 'LEAK_POLICY_CHANGED',
      keyId: noSubject,
      teamId,
      changes: [{ field: 'leakPolicy', before, after: policy }],
      details: { policy },
    };
    return new Decision(policy, { entries: [entry], rows: [writeLeakPolicy(teamId, policy)] });
  };
  // Without a transaction, for calls that change nothing.
  if (decide(await store.leakPolicies.find(teamId)).write === undefined) return policy;
  return await store.changes.submit(budget.counted({ queueKey: teamId, caller, load: leakPolicyOf(teamId), decide }));
}
