/** What a team demands of its keys in one environment: each rule is one entry, which all that lists rules reads. */
import { accepted } from '../../lib/parsed.ts';
import type { ApiKey } from '../key/api-key.ts';
import { parseRateLimit, type RateLimit } from '../key/rate-limit.ts';
import type { Result } from '../parse-fields.ts';
import { coversAll } from '../source/coverage.ts';
import { durationText } from './duration-text.ts';
import { type PermittedScope, type PermittedScopeInput, parseScopes, parseSeconds } from './parse-rule.ts';
import type { PolicyViolation } from './policy-violation.ts';

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

export type PolicyRule = keyof PolicyRules;

/** The fields of a key that rules are about. */
export type GovernedKey = Pick<
  ApiKey,
  'expiresAt' | 'allowedIps' | 'scopes' | 'rateLimit' | 'signingEnvelope' | 'createdAt' | 'rotatedAt'
>;

/** In a message: the price of a violation is that of a short text. */
const maxNamedScopes = 10;
const maxNamesCharacters = 200;

export type Found = Omit<PolicyViolation, 'rule'>;
/** What a rule demands, if it demands anything. */
type Demand<Rule extends PolicyRule> = Exclude<PolicyRules[Rule], null | false>;

/** What a team or the operator writes. Absent, null and false demand nothing. */
export type PolicyRulesInput = {
  readonly [Rule in PolicyRule]?:
    | (Rule extends 'scopes' ? readonly PermittedScopeInput[] : PolicyRules[Rule])
    | null
    | undefined;
};

interface RuleOf<Rule extends PolicyRule> {
  /** The value that demands nothing. */
  readonly none: PolicyRules[Rule];
  readonly parse: (given: NonNullable<PolicyRulesInput[Rule]>) => Result<PolicyRules[Rule]>;
  /** Returns what meets both. */
  readonly stricter: (one: Demand<Rule>, other: Demand<Rule>) => PolicyRules[Rule];
  /** What the rule is about, so that a change of something else does not fail because of it. */
  readonly governs: keyof GovernedKey;
  readonly check: (demand: Demand<Rule>, key: GovernedKey, now: Date, rules: PolicyRules) => Found | null;
}

const required = { none: false, parse: accepted<boolean>, stricter: () => true } as const;
const limited = { none: null, parse: parseSeconds, stricter: Math.min } as const;

/** The rules, in the order in which they are named. store/rows/policy-condition.ts has them in SQL. */
export const ruleOf: { readonly [Rule in PolicyRule]: RuleOf<Rule> } = {
  requireExpiry: {
    ...required,
    governs: 'expiresAt',
    check: (_, { expiresAt }, _now, { maxLifetimeSeconds: max }) =>
      expiresAt === null ? { field: 'expiresAt', message: `must be set${withinLifetime(max)}` } : null,
  },
  maxLifetimeSeconds: {
    ...limited,
    governs: 'expiresAt',
    check: (max, { expiresAt, ...key }) => {
      const last = issuedAt(key).getTime() + max * 1000;
      if (expiresAt !== null && expiresAt.getTime() <= last) return null;
      return { field: 'expiresAt', message: `must be at most ${new Date(last).toISOString()}${withinLifetime(max)}` };
    },
  },
  requireAllowedIps: {
    ...required,
    governs: 'allowedIps',
    check: (_, { allowedIps }) => {
      if (allowedIps.length === 0) return { field: 'allowedIps', message: 'must have at least one allowed source' };
      const message = 'must not allow every IPv4 address or every public IPv6 address';
      return coversAll(allowedIps) ? { field: 'allowedIps', message } : null;
    },
  },
  requireSigning: {
    ...required,
    governs: 'signingEnvelope',
    check: (_, { signingEnvelope }) =>
      signingEnvelope === null ? { field: 'signing', message: 'must be true: requests must be signed' } : null,
  },
  maxSecretAgeSeconds: {
    ...limited,
    governs: 'rotatedAt',
    check: (max, key, now) =>
      now.getTime() > issuedAt(key).getTime() + max * 1000
        ? { field: 'secret', message: `must be rotated at least every ${durationText(max)}` }
        : null,
  },
  scopes: {
    none: null,
    parse: parseScopes,
    stricter: (one, other) => one.filter(({ name }) => other.some((scope) => scope.name === name)),
    governs: 'scopes',
    check: (permitted, { scopes }) => {
      const names = permitted.map(({ name }) => name);
      return scopes.every((scope) => names.includes(scope))
        ? null
        : { field: 'scopes', message: `must be among: ${firstNames(names)}` };
    },
  },
  maxRateLimit: {
    none: null,
    parse: parseRateLimit,
    stricter: (one, other) => (isAtMost(one, other) ? one : other),
    governs: 'rateLimit',
    check: (max, { rateLimit }) =>
      rateLimit !== null && isAtMost(rateLimit, max)
        ? null
        : { field: 'rateLimit', message: `must be at most ${max.limit} requests in ${max.windowSeconds} s` },
  },
};

export const policyRules = Object.keys(ruleOf) as readonly PolicyRule[];

/** @param ofRule must return the value of the rule */
function byRule<Values extends Readonly<Record<PolicyRule, unknown>>>(ofRule: (rule: PolicyRule) => unknown): Values {
  return Object.fromEntries(policyRules.map((rule) => [rule, ofRule(rule)])) as unknown as Values;
}

export function isDemand<Value>(value: Value): value is Exclude<Value, null | false> {
  return value !== null && value !== false;
}

export const noRules = byRule<PolicyRules>((rule) => ruleOf[rule].none);

/** Parses each rule of a policy. */
export function parseRules(input: PolicyRulesInput) {
  const parsed = <Rule extends PolicyRule>(rule: Rule): Result<PolicyRules[Rule]> => {
    const { none, parse } = ruleOf[rule];
    const given = input[rule];
    return given == null ? accepted(none) : parse(given);
  };
  return byRule<{ readonly [Rule in PolicyRule]: Result<PolicyRules[Rule]> }>(parsed);
}

/** Returns the rules of both: the stricter one of each. */
export function stricter(one: PolicyRules, other: PolicyRules): PolicyRules {
  const ofBoth = <Rule extends PolicyRule>(rule: Rule): PolicyRules[Rule] => {
    const a: PolicyRules[Rule] = one[rule];
    const b: PolicyRules[Rule] = other[rule];
    if (!isDemand(a)) return b;
    return isDemand(b) ? ruleOf[rule].stricter(a, b) : a;
  };
  return byRule<PolicyRules>(ofBoth);
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
