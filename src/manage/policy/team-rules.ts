import { type KeyEnv, keyEnvs } from '../../domain/key/key-env.ts';
import { type PolicyRules, stricter } from '../../domain/policy/key-policy.ts';
import type { TeamPolicies, TeamRules } from '../../domain/policy/team-policies.ts';
import type { Management } from '../management.ts';

/** Returns what the operator and the team demand together of the keys of an environment. */
export function rulesFor(bounds: PolicyRules, policies: TeamPolicies | undefined, env: KeyEnv): PolicyRules {
  const rules = policies?.[env]?.rules;
  return rules === undefined ? bounds : stricter(rules, bounds);
}

/** Returns the rules of both environments. */
function teamRules(bounds: PolicyRules, policies: TeamPolicies | undefined): TeamRules {
  const entries = keyEnvs.map((env) => [env, rulesFor(bounds, policies, env)] as const);
  return Object.fromEntries(entries) as TeamRules;
}

interface RulesReader extends Pick<Management, 'policyBounds'> {
  readonly store: Pick<Management['store'], 'keyPolicies'>;
}

/** Reads the rules of a team. */
export async function readRulesOfTeam(reader: RulesReader, teamId: string): Promise<TeamRules> {
  return (await readTeamRules(reader, [teamId])).get(teamId) ?? teamRules(reader.policyBounds, undefined);
}

/** Reads the rules of teams, by team. */
export async function readTeamRules(
  { store, policyBounds }: RulesReader,
  teamIds: readonly string[],
): Promise<ReadonlyMap<string, TeamRules>> {
  const policies = await store.keyPolicies.findAll(teamIds);
  return new Map(teamIds.map((id) => [id, teamRules(policyBounds, policies.get(id))]));
}
