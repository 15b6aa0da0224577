/** The policies of a team, for forms: what the operator and the team demand of keys. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { PolicyRules } from '../../domain/policy/key-policy.ts';
import { execute } from '../api/execute.ts';
import { queryClient } from '../api/query-client.ts';
import { type KeyEnv, KeyPoliciesDocument } from '../generated/graphql.ts';
import { useMay } from '../session/viewer.ts';
import type { KeyPolicy } from './policy-draft.ts';

export const policiesOf = (teamId: string) =>
  queryOptions({
    queryKey: ['policies', teamId],
    queryFn: async ({ signal }) => await execute(KeyPoliciesDocument, { teamId }, signal),
  });

export type TeamPolicies = Partial<Readonly<Record<KeyEnv, KeyPolicy>>>;

/**
 * Returns the policy of each environment: none until they are loaded, if that failed, and if the user may not read them.
 * While `isLoading`, a form must not send what depends on them.
 */
export function usePolicies(teamId: string): { readonly policies: TeamPolicies; readonly isLoading: boolean } {
  const mayView = useMay('view_team', teamId);
  const { data, isLoading } = useQuery({ ...policiesOf(teamId), enabled: mayView });
  return { policies: byEnv(data?.keyPolicies ?? []), isLoading };
}

/** Returns what is demanded of the keys of an environment, if it is known. */
export function useRules(teamId: string, env: KeyEnv): PolicyRules | undefined {
  return usePolicies(teamId).policies[env]?.effective;
}

/** Reads the policy of each environment, for a user who may. Throws ApiError. */
export async function readPolicies(teamId: string): Promise<TeamPolicies> {
  return byEnv((await queryClient.fetchQuery(policiesOf(teamId))).keyPolicies);
}

function byEnv(policies: readonly KeyPolicy[]): TeamPolicies {
  return Object.fromEntries(policies.map((policy) => [policy.env, policy]));
}
