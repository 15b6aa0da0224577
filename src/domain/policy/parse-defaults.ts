import { rejected } from '../../lib/parsed.ts';
import { parseRateLimit, type RateLimit } from '../key/rate-limit.ts';
import { settings } from '../key/settings.ts';
import { parsedObject, parseOptional, type Result } from '../parse-fields.ts';
import type { KeyDefaults } from './key-defaults.ts';
import { type GovernedKey, noRules, type PolicyRules } from './key-policy.ts';
import { parseSeconds } from './parse-rule.ts';
import { violationsOf } from './violations.ts';

export interface KeyDefaultsInput {
  readonly lifetimeSeconds?: number | null | undefined;
  readonly allowedIps?: readonly string[] | null | undefined;
  readonly scopes?: readonly string[] | null | undefined;
  readonly rateLimit?: RateLimit | null | undefined;
}

/**
 * Parses the defaults of a policy. Each must be permitted.
 * @param rules of the policy, if they are valid, and of the operator
 */
export function parseDefaults(input: KeyDefaultsInput | null | undefined, rules: PolicyRules): Result<KeyDefaults> {
  const { lifetimeSeconds, allowedIps, scopes, rateLimit } = input ?? {};
  const { maxLifetimeSeconds: max, maxRateLimit, requireAllowedIps } = rules;
  const lifetime = parseOptional(lifetimeSeconds, parseSeconds);
  const isTooLong = lifetime.ok && lifetime.value !== null && max !== null && lifetime.value > max;
  const limit = parseOptional(rateLimit, parseRateLimit);
  const sources = settings.allowedIps.parse(allowedIps ?? []);
  return parsedObject({
    lifetimeSeconds: isTooLong ? rejected(`must be at most ${max}, the longest lifetime`) : lifetime,
    allowedIps: allowedIps?.length
      ? permitted({ requireAllowedIps }, sources, (allowedIps) => ({ allowedIps }))
      : sources,
    scopes: permitted({ scopes: rules.scopes }, settings.scopes.parse(scopes ?? []), (scopes) => ({ scopes })),
    // Without a default, the creator gives one.
    rateLimit: rateLimit == null ? limit : permitted({ maxRateLimit }, limit, (rateLimit) => ({ rateLimit })),
  });
}

const unrestricted: GovernedKey = {
  ...{ expiresAt: null, allowedIps: [], scopes: [], rateLimit: null, signingEnvelope: null },
  ...{ createdAt: new Date(0), rotatedAt: null },
};

function permitted<T>(
  rule: Partial<PolicyRules>,
  parsed: Result<T>,
  settingsOf: (value: T) => Partial<GovernedKey>,
): Result<T> {
  if (!parsed.ok) return parsed;
  const key = { ...unrestricted, ...settingsOf(parsed.value) };
  const [violation] = violationsOf({ ...noRules, ...rule }, key, key.createdAt);
  return violation === undefined ? parsed : rejected(violation.message);
}
