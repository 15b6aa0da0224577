import type { KeyEnv } from '../key/key-env.ts';
import type { KeyDefaults } from './key-defaults.ts';
import type { PolicyRules } from './key-policy.ts';

/** What a team demands of its keys in one environment. */
export interface KeyPolicy {
  readonly teamId: string;
  readonly env: KeyEnv;
  readonly rules: PolicyRules;
  readonly defaults: KeyDefaults;
  /** When keys that violate it are disabled; null: never. */
  readonly enforceAfter: Date | null;
  readonly changedAt: Date;
}

export type TeamPolicies = Readonly<Partial<Record<KeyEnv, KeyPolicy>>>;

/** The rules for the keys of a team, by their environment. */
export type TeamRules = Readonly<Record<KeyEnv, PolicyRules>>;
