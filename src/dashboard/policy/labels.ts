import type { KeyDefaults } from '../../domain/policy/key-defaults.ts';
import type { PolicyRule } from '../../domain/policy/key-policy.ts';

/** `scopes` is not here: in the trail, it has the name of the setting. */
type Field = Exclude<PolicyRule, 'scopes'> | `defaults.${keyof KeyDefaults}` | 'enforceAfter';

/** The names of what a policy consists of, in its form and in the audit trail. */
export const policyLabels: Readonly<Record<Field, string>> = {
  maxLifetimeSeconds: 'Longest lifetime',
  requireExpiry: 'Require an expiry',
  requireAllowedIps: 'Require allowed sources',
  requireSigning: 'Require signed requests',
  maxSecretAgeSeconds: 'Rotation at least every',
  maxRateLimit: 'Highest rate limit',
  'defaults.lifetimeSeconds': 'Lifetime of a new key',
  'defaults.allowedIps': 'Default allowed sources',
  'defaults.scopes': 'Default scopes',
  'defaults.rateLimit': 'Default rate limit',
  enforceAfter: 'Disable keys that violate it at',
};
