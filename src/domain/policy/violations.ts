/**
 * Which rules a key or a change violates. A policy decides when a key is made or changed, and never breaks a running key:
 * only a rule that a change violates anew rejects it.
 */
import {
  type Found,
  type GovernedKey,
  isDemand,
  type PolicyRule,
  type PolicyRules,
  policyRules,
  ruleOf,
} from './key-policy.ts';
import type { PolicyViolation } from './policy-violation.ts';

/** Returns the rules that a key violates, in a fixed order. */
export function violationsOf(rules: PolicyRules, key: GovernedKey, now: Date): readonly PolicyViolation<PolicyRule>[] {
  const check = <Rule extends PolicyRule>(rule: Rule): Found | null => {
    const demand = rules[rule];
    return isDemand(demand) ? ruleOf[rule].check(demand, key, now, rules) : null;
  };
  return policyRules.flatMap((rule) => {
    const found = check(rule);
    return found === null ? [] : [{ rule, ...found }];
  });
}

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
  return found.filter(({ rule }) => !had.has(rule) || !isSame(ruleOf[rule].governs));
}
