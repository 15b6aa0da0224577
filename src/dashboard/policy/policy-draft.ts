/** A policy as its form edits it: lifetimes in days, and one permitted scope in each line. */
import { dayMs } from '../../domain/moment.ts';
import { instantOf } from '../audit/trail-search.ts';
import type { KeyPoliciesQuery, SetKeyPolicyInput } from '../generated/graphql.ts';
import { writeMoment } from '../key-form/expiry.ts';
import { type KeyDraft, settingFields } from '../key-form/fields.ts';

export type KeyPolicy = KeyPoliciesQuery['keyPolicies'][number];

export interface PolicyDraft {
  /** In days; empty for any. */
  readonly maxLifetime: number | string;
  readonly requireExpiry: boolean;
  readonly requireAllowedIps: boolean;
  readonly requireSigning: boolean;
  /** In days; empty for any. */
  readonly maxSecretAge: number | string;
  readonly limitsScopes: boolean;
  /** A scope in each line, and after it what it permits. */
  readonly scopes: string;
  readonly rateLimit: KeyDraft['rateLimit'];
  /** In days; empty for none. */
  readonly defaultLifetime: number | string;
  readonly defaultSources: KeyDraft['allowedIps'];
  readonly defaultScopes: KeyDraft['scopes'];
  readonly defaultRateLimit: KeyDraft['rateLimit'];
  /** A moment of the user's time zone; empty for never. */
  readonly enforceAfter: string;
}

/** The fields of the form for those fields of the server whose names differ. */
export const renamed = {
  maxLifetimeSeconds: 'maxLifetime',
  maxSecretAgeSeconds: 'maxSecretAge',
  maxRateLimit: 'rateLimit',
  'defaults.lifetimeSeconds': 'defaultLifetime',
  'defaults.allowedIps': 'defaultSources',
  'defaults.scopes': 'defaultScopes',
  'defaults.rateLimit': 'defaultRateLimit',
};

const daySeconds = dayMs / 1000;

export function draftOf(policy: KeyPolicy): PolicyDraft {
  const { maxLifetimeSeconds, maxSecretAgeSeconds, scopes, maxRateLimit, defaults, ...rest } = policy;
  const { allowedIps, rateLimit } = settingFields;
  return {
    maxLifetime: daysOf(maxLifetimeSeconds),
    requireExpiry: rest.requireExpiry,
    requireAllowedIps: rest.requireAllowedIps,
    requireSigning: rest.requireSigning,
    maxSecretAge: daysOf(maxSecretAgeSeconds),
    limitsScopes: scopes !== null,
    scopes: (scopes ?? []).map(({ name, description }) => `${name} ${description ?? ''}`.trim()).join('\n'),
    rateLimit: rateLimit.toDraft(maxRateLimit),
    defaultLifetime: daysOf(defaults.lifetimeSeconds),
    defaultSources: allowedIps.toDraft(defaults.allowedIps),
    defaultScopes: defaults.scopes,
    defaultRateLimit: rateLimit.toDraft(defaults.rateLimit),
    enforceAfter: localOf(rest.enforceAfter),
  };
}

/** @param policy the policy that the draft began with */
export function inputOf(policy: KeyPolicy, draft: PolicyDraft): SetKeyPolicyInput {
  const { teamId, env, enforceAfter } = policy;
  const { allowedIps, rateLimit } = settingFields;
  return {
    teamId,
    env,
    maxLifetimeSeconds: secondsOf(draft.maxLifetime),
    requireExpiry: draft.requireExpiry,
    requireAllowedIps: draft.requireAllowedIps,
    requireSigning: draft.requireSigning,
    maxSecretAgeSeconds: secondsOf(draft.maxSecretAge),
    scopes: draft.limitsScopes ? scopesIn(draft.scopes) : null,
    maxRateLimit: rateLimit.toValue(draft.rateLimit),
    defaults: {
      lifetimeSeconds: secondsOf(draft.defaultLifetime),
      allowedIps: allowedIps.toValue(draft.defaultSources),
      scopes: [...draft.defaultScopes],
      rateLimit: rateLimit.toValue(draft.defaultRateLimit),
    },
    // An unedited moment keeps its seconds, which the input does not show. It can be in the past only as it was.
    enforceAfter: draft.enforceAfter === localOf(enforceAfter) ? enforceAfter : instantOf(draft.enforceAfter),
  };
}

function scopesIn(text: string) {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [name = '', ...words] = line.split(/\s+/);
      return { name, description: words.join(' ') || null };
    });
}

function daysOf(seconds: number | null): number | string {
  return seconds === null ? '' : seconds / daySeconds;
}

function secondsOf(days: number | string): number | null {
  return days === '' ? null : Math.round(Number(days) * daySeconds);
}

function localOf(at: string | null): string {
  return at === null ? '' : writeMoment(new Date(at)).slice(0, 16);
}
