import { isDeepStrictEqual } from 'node:util';
import { changesBetween, noSubject } from '../../domain/audit-entry.ts';
import { badInput } from '../../domain/errors.ts';
import { type KeyEnv, keyEnvs } from '../../domain/key/key-env.ts';
import { hasPassed, parseExpiry } from '../../domain/moment.ts';
import { acceptFields, parseFields, parseOptional } from '../../domain/parse-fields.ts';
import { type KeyDefaults, noDefaults } from '../../domain/policy/key-defaults.ts';
import {
  noRules,
  type PolicyRule,
  type PolicyRules,
  type PolicyRulesInput,
  parseRules,
  policyRules,
  stricter,
} from '../../domain/policy/key-policy.ts';
import { type KeyDefaultsInput, parseDefaults } from '../../domain/policy/parse-defaults.ts';
import type { KeyPolicy, TeamPolicies } from '../../domain/policy/team-policies.ts';
import { type Change, Decision, type NewEntry } from '../../store/changes/change.ts';
import { keyPolicyOf, writeKeyPolicy } from '../../store/rows/key-policies.ts';
import { authorizeTeam, type Caller, entryBy, type Management } from '../management.ts';
import { rulesFor } from './team-rules.ts';

export interface SetKeyPolicyInput extends PolicyRulesInput {
  readonly teamId: string;
  readonly env: KeyEnv;
  readonly defaults?: KeyDefaultsInput | null | undefined;
  readonly enforceAfter?: Date | null | undefined;
}

/** The policy of a team in one environment, as it is shown. */
export interface ShownPolicy extends PolicyRules {
  readonly teamId: string;
  readonly env: KeyEnv;
  /** With the bounds of the operator. */
  readonly effective: PolicyRules;
  readonly defaults: KeyDefaults;
  readonly enforceAfter: Date | null;
  readonly changedAt: Date | null;
}

/**
 * Sets what a team demands of its keys in one environment, and what new ones get: rules that are absent or null demand
 * nothing. Keys that exist go on working; with `enforceAfter`, those that violate the policy then are disabled. Writes
 * nothing if it is set already. Needs `manage_policy`.
 * Throws FORBIDDEN, BAD_USER_INPUT (the rules, defaults, enforceAfter), RATE_LIMITED, UNAVAILABLE.
 */
export async function setKeyPolicy(
  management: Management,
  caller: Caller,
  { teamId, env, enforceAfter, defaults: givenDefaults, ...input }: SetKeyPolicyInput,
): Promise<ShownPolicy> {
  const { store, budget, policyBounds } = management;
  authorizeTeam(caller, teamId, 'manage_policy');
  const stored = (await store.keyPolicies.find(teamId))[env];
  const isKept = enforceAfter?.getTime() === stored?.enforceAfter?.getTime();
  const parsedRules = parseRules(input);
  const validRules = { ...noRules, ...acceptFields(parsedRules, []) };
  const {
    enforceAfter: parsedMoment,
    defaults,
    ...rules
  } = parseFields({
    ...parsedRules,
    defaults: parseDefaults(givenDefaults, stricter(validRules, policyBounds)),
    enforceAfter: parseOptional(isKept ? null : enforceAfter, (moment) => parseExpiry(moment, caller.now)),
  });
  const isStricter = stored !== undefined && !isDeepStrictEqual(stricter(stored.rules, validRules), stored.rules);
  if (isKept && isStricter && hasPassed(stored.enforceAfter, caller.now)) {
    const message = 'must be in the future or null: with stricter rules, keys would be disabled without a notice';
    throw badInput([{ field: 'enforceAfter', message }]);
  }
  const wanted = { rules, defaults, enforceAfter: (isKept ? enforceAfter : parsedMoment) ?? null };
  budget.check(teamId);
  const change: Change<KeyPolicy, KeyPolicy | null> = {
    queueKey: teamId,
    caller,
    load: keyPolicyOf(teamId, env),
    decide: (before) => {
      const after: KeyPolicy = { ...wanted, teamId, env, changedAt: caller.now };
      const changes = changesBetween(shownOf(before), shownOf(after));
      if (changes.length === 0) return new Decision(before ?? after);
      const entry: NewEntry = {
        ...entryBy(caller),
        action: 'POLICY_CHANGED',
        keyId: noSubject,
        teamId,
        changes,
        details: { env },
      };
      return new Decision(after, { entries: [entry], rows: [writeKeyPolicy(after)] });
    },
  };
  return shown(management, teamId, env, await store.changes.submit(budget.counted(change)));
}

/** Returns the policy of a team in one environment. Needs `view_team`. Throws FORBIDDEN, UNAVAILABLE. */
export async function readKeyPolicy(
  management: Management,
  caller: Caller,
  teamId: string,
  env: KeyEnv,
): Promise<ShownPolicy> {
  authorizeTeam(caller, teamId, 'view_team');
  return shown(management, teamId, env, (await management.store.keyPolicies.find(teamId))[env]);
}

/** Returns the policies of a team in both environments. Needs `view_team`. Throws FORBIDDEN, UNAVAILABLE. */
export async function readKeyPolicies(
  management: Management,
  caller: Caller,
  teamId: string,
): Promise<readonly ShownPolicy[]> {
  authorizeTeam(caller, teamId, 'view_team');
  const policies: TeamPolicies = await management.store.keyPolicies.find(teamId);
  return keyEnvs.map((env) => shown(management, teamId, env, policies[env]));
}

function shown({ policyBounds }: Management, teamId: string, env: KeyEnv, policy: KeyPolicy | undefined): ShownPolicy {
  return {
    teamId,
    env,
    ...(policy?.rules ?? noRules),
    effective: rulesFor(policyBounds, policy === undefined ? {} : { [env]: policy }, env),
    defaults: policy?.defaults ?? noDefaults,
    enforceAfter: policy?.enforceAfter ?? null,
    changedAt: policy?.changedAt ?? null,
  };
}

/** Returns the fields that the audit trail shows. */
function shownOf(policy: KeyPolicy | null) {
  const rules = policy?.rules ?? noRules;
  const values = policyRules.map((rule) => [rule, rule === 'scopes' ? scopesOf(rules) : plain(rules[rule])] as const);
  const { lifetimeSeconds, allowedIps, scopes, rateLimit } = policy?.defaults ?? noDefaults;
  return {
    ...Object.fromEntries(values),
    'defaults.lifetimeSeconds': lifetimeSeconds,
    'defaults.allowedIps': allowedIps,
    'defaults.scopes': scopes,
    'defaults.rateLimit': rateLimit === null ? null : JSON.stringify(rateLimit),
    enforceAfter: policy?.enforceAfter?.toISOString() ?? null,
  };
}

function scopesOf({ scopes }: PolicyRules): readonly string[] | null {
  return scopes?.map(({ name, description }) => (description === null ? name : `${name}: ${description}`)) ?? null;
}

function plain(value: PolicyRules[PolicyRule]): string | number | boolean | null {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}
