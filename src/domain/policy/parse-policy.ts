/** Parses the policies that teams and the operator write. */
import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';
import { parseRateLimit, type RateLimit } from '../key/rate-limit.ts';
import { parseScope } from '../key/scope.ts';
import { settings } from '../key/settings.ts';
import { limits } from '../limits.ts';
import { parsedList, parsedObject, type Result } from '../parse-fields.ts';
import { parseLine } from '../text.ts';
import type { KeyDefaults } from './key-defaults.ts';
import { type GovernedKey, noRules, type PermittedScope, type PolicyRules, violationsOf } from './key-policy.ts';

export interface PermittedScopeInput {
  readonly name: string;
  readonly description?: string | null | undefined;
}

export interface PolicyRulesInput {
  readonly maxLifetimeSeconds?: number | null | undefined;
  readonly requireExpiry?: boolean | null | undefined;
  readonly requireAllowedIps?: boolean | null | undefined;
  readonly requireSigning?: boolean | null | undefined;
  readonly maxSecretAgeSeconds?: number | null | undefined;
  readonly scopes?: readonly PermittedScopeInput[] | null | undefined;
  readonly maxRateLimit?: RateLimit | null | undefined;
}

export interface KeyDefaultsInput {
  readonly lifetimeSeconds?: number | null | undefined;
  readonly allowedIps?: readonly string[] | null | undefined;
  readonly scopes?: readonly string[] | null | undefined;
  readonly rateLimit?: RateLimit | null | undefined;
}

/** Parses each rule of a policy. Absent and null ones demand nothing. */
export function parseRules(input: PolicyRulesInput) {
  return {
    maxLifetimeSeconds: parseSeconds(input.maxLifetimeSeconds),
    requireExpiry: accepted(input.requireExpiry ?? false),
    requireAllowedIps: accepted(input.requireAllowedIps ?? false),
    requireSigning: accepted(input.requireSigning ?? false),
    maxSecretAgeSeconds: parseSeconds(input.maxSecretAgeSeconds),
    scopes: parseScopes(input.scopes),
    maxRateLimit: parseLimit(input.maxRateLimit),
  };
}

/**
 * Parses the defaults of a policy. Each must be permitted.
 * @param rules of the policy, if they are valid, and of the operator
 */
export function parseDefaults(input: KeyDefaultsInput | null | undefined, rules: PolicyRules): Result<KeyDefaults> {
  const { lifetimeSeconds, allowedIps, scopes, rateLimit } = input ?? {};
  const { maxLifetimeSeconds: max, maxRateLimit, requireAllowedIps } = rules;
  const lifetime = parseSeconds(lifetimeSeconds);
  const isTooLong = lifetime.ok && lifetime.value !== null && max !== null && lifetime.value > max;
  const limit = parseLimit(rateLimit);
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

function parseLimit(limit: RateLimit | null | undefined): Result<RateLimit | null> {
  return limit == null ? accepted(null) : parseRateLimit(limit);
}

function parseSeconds(seconds: number | null | undefined): Parsed<number | null> {
  if (seconds == null) return accepted(null);
  const { minPolicySeconds: min, maxPolicySeconds: max } = limits;
  const isWithin = Number.isInteger(seconds) && seconds >= min && seconds <= max;
  return isWithin ? accepted(seconds) : rejected(`must be from ${min} to ${max}`);
}

function parseScopes(scopes: PolicyRulesInput['scopes']): Result<readonly PermittedScope[] | null> {
  if (scopes == null) return accepted(null);
  return parsedList(scopes, limits.permittedScopes, ({ name, description }, i): Result<PermittedScope> => {
    if (scopes.findIndex((scope) => scope.name === name) < i) return rejected('must not be given twice');
    return parsedObject({
      name: parseScope(name),
      description: description == null ? accepted(null) : parseLine(description, limits.scopeDescriptionCharacters),
    });
  });
}
