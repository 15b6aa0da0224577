/** The policies of a team, in words and for forms: what the operator and the team demand of keys. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { durationText } from '../../domain/policy/duration-text.ts';
import type { KeyDefaults } from '../../domain/policy/key-defaults.ts';
import type { PolicyRules } from '../../domain/policy/key-policy.ts';
import { execute } from '../api/execute.ts';
import { queryClient } from '../api/query-client.ts';
import { formatNumber, formatRate } from '../components/format.ts';
import { type KeyEnv, KeyPoliciesDocument } from '../generated/graphql.ts';
import { useMay } from '../session/viewer.ts';
import type { KeyPolicy } from './policy-draft.ts';

export const policiesOf = (teamId: string) =>
  queryOptions({
    queryKey: ['policies', teamId],
    queryFn: async ({ signal }) => await execute(KeyPoliciesDocument, { teamId }, signal),
  });

export type TeamPolicies = Partial<Readonly<Record<KeyEnv, KeyPolicy>>>;

/** Returns the policy of each environment: none until they are loaded, and if the user may not read them. */
export function usePolicies(teamId: string): TeamPolicies {
  const mayView = useMay('view_team', teamId);
  const { data } = useQuery({ ...policiesOf(teamId), enabled: mayView });
  return byEnv(data?.keyPolicies ?? []);
}

/** Reads the policy of each environment, for a user who may. Throws ApiError. */
export async function readPolicies(teamId: string): Promise<TeamPolicies> {
  return byEnv((await queryClient.fetchQuery(policiesOf(teamId))).keyPolicies);
}

function byEnv(policies: readonly KeyPolicy[]): TeamPolicies {
  return Object.fromEntries(policies.map((policy) => [policy.env, policy]));
}

/** Returns a sentence for each rule that demands something, and what of a key it is about. */
export function rulesInWords(rules: PolicyRules) {
  const { maxLifetimeSeconds: lifetime, maxSecretAgeSeconds: age, scopes, maxRateLimit: rate } = rules;
  const sentences = {
    expiresAt:
      lifetime === null
        ? rules.requireExpiry && 'It has an expiry.'
        : `It expires at most ${durationText(lifetime)} after its secret was issued.`,
    allowedIps: rules.requireAllowedIps && 'It has allowed sources, and not every address is one.',
    signing: rules.requireSigning && 'Requests with it are signed.',
    secret: age !== null && `Its secret is rotated at least every ${durationText(age)}.`,
    scopes: scopes !== null && `Its scopes are among: ${scopes.map(({ name }) => name).join(', ') || 'none'}.`,
    rateLimit:
      rate !== null &&
      `It has a rate limit of at most ${formatNumber(rate.limit)} in ${durationText(rate.windowSeconds)}.`,
  };
  return Object.entries(sentences).flatMap(([about, text]) => (text === false ? [] : [{ about, text }]));
}

/** Returns a sentence for each setting that a new key gets. */
export function defaultsInWords({ lifetimeSeconds, allowedIps, scopes, rateLimit }: KeyDefaults) {
  const sentences = [
    lifetimeSeconds !== null && `An expiry ${durationText(lifetimeSeconds)} after its creation.`,
    allowedIps.length > 0 && `The allowed sources ${allowedIps.join(', ')}.`,
    scopes.length > 0 && `The scopes ${scopes.join(', ')}.`,
    rateLimit !== null && `A rate limit of ${formatRate(rateLimit.limit, rateLimit.windowSeconds)}.`,
  ];
  return sentences.flatMap((text) => (text === false ? [] : [{ text }]));
}
