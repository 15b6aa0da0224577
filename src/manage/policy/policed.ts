import { LatchkeyError } from '../../domain/errors.ts';
import type { ApiKey, StoredKey } from '../../domain/key/api-key.ts';
import { hasPassed } from '../../domain/moment.ts';
import { type PolicyViolation, violationText } from '../../domain/policy/policy-violation.ts';
import type { TeamPolicies } from '../../domain/policy/team-policies.ts';
import { violationsOfChange } from '../../domain/policy/violations.ts';
import { type Change, Decision, type Load, type LoadedKeys } from '../../store/changes/change.ts';
import type { Caller, Management } from '../management.ts';
import { rulesFor } from './team-rules.ts';

/** Returns the answer of a change that violates the policy, or throws. */
export type OnViolation<Answer> = (violations: readonly PolicyViolation[]) => Answer;

interface Policed<State> {
  readonly state: State;
  readonly policies: TeamPolicies | undefined;
  readonly keys: LoadedKeys['keys'];
}

/**
 * Returns a change of a key of the team that writes nothing if the policy of its environment does not permit it. By
 * default, it is then rejected with POLICY_VIOLATED. The policy is read in the transaction of the change. Creation,
 * import, update, rotation, enabling and signing are decided here. What only takes rights away, such as a revocation,
 * violates nothing anew.
 */
export function policed<Answer, State>(
  { policyBounds }: Management,
  { now }: Caller,
  teamId: string,
  change: Change<Answer, State>,
  onViolation: OnViolation<Answer> = rejectViolations,
): Change<Answer, Policed<State>> {
  return {
    ...change,
    load: withPolicies(teamId, change.load),
    decide: ({ state, policies, keys }, revision) => {
      const decision = change.decide(state, revision);
      const { key, isNew } = decision.write ?? {};
      if (key === undefined) return decision;
      const before = isNew === true ? undefined : keys.get(key.id);
      if (before === undefined && isNew !== true) throw new Error('a change did not load the key that it writes');
      const rules = rulesFor(policyBounds, policies, key.env);
      const violations = violationsOfChange(rules, stateBefore(before, key, now), key, now);
      return violations.length === 0 ? decision : new Decision(onViolation(violations));
    },
  };
}

function withPolicies<State>(teamId: string, load: Load<State>): Load<Policed<State>> {
  if ('read' in load) throw new TypeError('a change of keys shares its state');
  const { needs, pick } = load;
  return {
    needs: { ...needs, policies: [teamId] },
    pick: (keys) => ({ state: pick(keys), policies: keys.policies.get(teamId), keys: keys.keys }),
  };
}

/** Returns null if every rule counts: for a new key, and for one that works again. */
function stateBefore(before: StoredKey | undefined, after: ApiKey, now: Date): StoredKey | null {
  if (before === undefined) return null;
  const works = ({ disabledAt, expiresAt }: ApiKey) => disabledAt === null && !hasPassed(expiresAt, now);
  return works(after) && !works(before) ? null : before;
}

export function rejectViolations(violations: readonly PolicyViolation[]): never {
  const fields = violations.map(({ rule, field, message }) => ({ field, message, rule }));
  const message = violations.map(violationText).join('; ');
  throw new LatchkeyError('POLICY_VIOLATED', `The policy of the team does not permit this: ${message}.`, { fields });
}
