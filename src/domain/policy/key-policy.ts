/**
 * What a team demands of its keys in one environment. A policy decides when a key is made or changed, and never breaks a
 * running key: only a rule that a change violates anew rejects it. Runs in a browser too, so that forms show the rules.
 */
import type { ApiKey } from '../key/api-key.ts';
import type { RateLimit } from '../key/rate-limit.ts';
import { coversAll } from '../source/coverage.ts';
import type { PolicyViolation } from './policy-violation.ts';

export interface PermittedScope {
  readonly name: string;
  /** For people who choose scopes; null if there is none. */
  readonly description: string | null;
}

/** Null and false demand nothing. */
export interface PolicyRules {
  /** From the issue of the current secret to the expiry. */
  readonly maxLifetimeSeconds: number | null;
  readonly requireExpiry: boolean;
  readonly requireAllowedIps: boolean;
  readonly requireSigning: boolean;
  /** From the issue of the current secret until it must have been rotated. */
  readonly maxSecretAgeSeconds: number | null;
  readonly scopes: readonly PermittedScope[] | null;
  readonly maxRateLimit: RateLimit | null;
}

export const noRules: PolicyRules = {
  maxLifetimeSeconds: null,
  requireExpiry: false,
  requireAllowedIps: false,
  requireSigning: false,
  maxSecretAgeSeconds: null,
  scopes: null,
  maxRateLimit: null,
};

export type PolicyRule = keyof PolicyRules;

/** The fields of a key that rules are about. */
export type GovernedKey = Pick<
  ApiKey,
  'expiresAt' | 'allowedIps' | 'scopes' | 'rateLimit' | 'signingEnvelope' | 'createdAt' | 'rotatedAt'
>;

/** In a message: the price of a violation is that of a short text. */
const maxNamedScopes = 10;
const maxNamesCharacters = 200;

type Check = (rules: PolicyRules, key: GovernedKey, now: Date) => Omit<PolicyViolation, 'rule'> | null;

/** One entry for each rule. store/rows/policy-condition.ts has the same comparisons in SQL, but for one. */
const checks: Readonly<Record<PolicyRule, Check>> = {
  requireExpiry: ({ requireExpiry, maxLifetimeSeconds }, { expiresAt }) =>
    requireExpiry && expiresAt === null
      ? { field: 'expiresAt', message: `must be set${withinLifetime(maxLifetimeSeconds)}` }
      : null,
  maxLifetimeSeconds: ({ maxLifetimeSeconds: max }, { expiresAt, ...key }) => {
    if (max === null) return null;
    const last = issuedAt(key).getTime() + max * 1000;
    if (expiresAt !== null && expiresAt.getTime() <= last) return null;
    return { field: 'expiresAt', message: `must be at most ${new Date(last).toISOString()}${withinLifetime(max)}` };
  },
  requireAllowedIps: ({ requireAllowedIps }, { allowedIps }) => {
    if (!requireAllowedIps) return null;
    if (allowedIps.length === 0) return { field: 'allowedIps', message: 'must have at least one allowed source' };
    const message = 'must not allow every IPv4 address or every public IPv6 address';
    return coversAll(allowedIps) ? { field: 'allowedIps', message } : null;
  },
  requireSigning: ({ requireSigning }, { signingEnvelope }) =>
    requireSigning && signingEnvelope === null
      ? { field: 'signing', message: 'must be true: requests must be signed' }
      : null,
  maxSecretAgeSeconds: ({ maxSecretAgeSeconds: max }, key, now) => {
    if (max === null || now.getTime() <= issuedAt(key).getTime() + max * 1000) return null;
    return { field: 'secret', message: `must be rotated at least every ${durationText(max)}` };
  },
  scopes: ({ scopes: permitted }, { scopes }) => {
    if (permitted === null) return null;
    const names = permitted.map(({ name }) => name);
    return scopes.every((scope) => names.includes(scope))
      ? null
      : { field: 'scopes', message: `must be among: ${firstNames(names)}` };
  },
  maxRateLimit: ({ maxRateLimit: max }, { rateLimit }) => {
    if (max === null) return null;
    const isWithin = rateLimit !== null && isAtMost(rateLimit, max);
    return isWithin
      ? null
      : { field: 'rateLimit', message: `must be at most ${max.limit} requests in ${max.windowSeconds} s` };
  },
};

export const policyRules = Object.keys(checks) as readonly PolicyRule[];

/** Returns the rules that a key violates, in a fixed order. */
export function violationsOf(rules: PolicyRules, key: GovernedKey, now: Date): readonly PolicyViolation<PolicyRule>[] {
  return policyRules.flatMap((rule) => {
    const found = checks[rule](rules, key, now);
    return found === null ? [] : [{ rule, ...found }];
  });
}

/** What each rule is about, so that a change of something else does not fail because of it. */
const governed: Readonly<Record<PolicyRule, keyof GovernedKey>> = {
  maxLifetimeSeconds: 'expiresAt',
  requireExpiry: 'expiresAt',
  requireAllowedIps: 'allowedIps',
  requireSigning: 'signingEnvelope',
  maxSecretAgeSeconds: 'rotatedAt',
  scopes: 'scopes',
  maxRateLimit: 'rateLimit',
};

/**
 * Returns the violations of a change: those that it adds, and those of what it changes.
 * @param before null for a new key, and for one that is enabled again: then every violation counts
 */
export function violationsOfChange(
  rules: PolicyRules,
  before: GovernedKey | null,
  after: GovernedKey,
  now: Date,
): readonly PolicyViolation<PolicyRule>[] {
  const found = violationsOf(rules, after, now);
  if (before === null || found.length === 0) return found;
  const had = new Set(violationsOf(rules, before, now).map(({ rule }) => rule));
  const isSame = (name: keyof GovernedKey) => JSON.stringify(before[name]) === JSON.stringify(after[name]);
  return found.filter(({ rule }) => !had.has(rule) || !isSame(governed[rule]));
}

/** Returns the rules of both: the stricter one of each. */
export function stricter(one: PolicyRules, other: PolicyRules): PolicyRules {
  const min = (a: number | null, b: number | null) => (a === null || b === null ? (a ?? b) : Math.min(a, b));
  const [a, b] = [one.maxRateLimit, other.maxRateLimit];
  const inBoth = one.scopes?.filter(({ name }) => other.scopes?.some((scope) => scope.name === name) ?? true);
  return {
    maxLifetimeSeconds: min(one.maxLifetimeSeconds, other.maxLifetimeSeconds),
    requireExpiry: one.requireExpiry || other.requireExpiry,
    requireAllowedIps: one.requireAllowedIps || other.requireAllowedIps,
    requireSigning: one.requireSigning || other.requireSigning,
    maxSecretAgeSeconds: min(one.maxSecretAgeSeconds, other.maxSecretAgeSeconds),
    scopes: inBoth ?? other.scopes,
    maxRateLimit: a === null || b === null ? (a ?? b) : isAtMost(a, b) ? a : b,
  };
}

/** Names the first scopes only, as a change of many keys says this about each. */
function firstNames(names: readonly string[]): string {
  const fitting = names.findIndex((_, i) => names.slice(0, i + 1).join(', ').length > maxNamesCharacters);
  const count = Math.max(1, Math.min(maxNamedScopes, fitting === -1 ? names.length : fitting));
  const more = names.length - count;
  return `${names.slice(0, count).join(', ') || 'none'}${more > 0 ? ` and ${more} more` : ''}`;
}

function issuedAt({ rotatedAt, createdAt }: Pick<GovernedKey, 'rotatedAt' | 'createdAt'>): Date {
  return rotatedAt ?? createdAt;
}

/** Multiplies, because a division loses digits. A product needs 37 bits. */
function isAtMost(one: RateLimit, other: RateLimit): boolean {
  return one.limit * other.windowSeconds <= other.limit * one.windowSeconds;
}

function withinLifetime(max: number | null): string {
  return max === null ? '' : `, at most ${durationText(max)} after the secret was issued`;
}

export function durationText(seconds: number): string {
  for (const [name, length] of [
    ['days', 86_400],
    ['hours', 3600],
    ['minutes', 60],
  ] as const) {
    if (seconds % length === 0 && seconds >= length) return `${seconds / length} ${name}`;
  }
  return `${seconds} seconds`;
}
