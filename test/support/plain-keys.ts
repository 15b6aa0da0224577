/** Keys without restrictions, to which a test adds what it is about. */
import { initialState } from '../../src/domain/key/api-key.ts';
import { type KeySettings, noSettings } from '../../src/domain/key/settings.ts';
import { noRules } from '../../src/domain/policy/key-policy.ts';

/** The fields of an `ApiKey` that was never changed and has no settings but its name. */
export const plainKey = { ...initialState, ...noSettings } as const;

/** Of an instance whose revisions nobody reads. */
export const idSecret = '00'.repeat(32);

/** The same of a `FeedKey`. */
export const plainFeedKey = {
  revision: 1,
  allowedIps: [],
  createdAt: Date.UTC(2026, 0, 1),
  expiresAt: null,
  revoked: false,
  disabled: false,
  tripwire: false,
  scopes: [],
  tags: [],
  externalId: null,
  responsible: null,
  metadata: null,
  rateLimit: null,
  rateLimitWindowSeconds: null,
  signingEnvelope: null,
  signingVersion: 0,
  previousSigningEnvelope: null,
  previousSigningVersion: null,
  previousSigningExpiresAt: null,
  importRevision: null,
  secretVersion: 1,
  digestVersion: 1,
  previousExpiresAt: null,
} as const;

/** A value for every setting, none of them the default. */
export const fullSettings: KeySettings = {
  name: 'Billing',
  description: 'Used by the nightly build; ask =Ann= before you revoke it',
  allowedIps: ['10.0.0.0/8', '192.0.2.1 # office; lab'],
  expiresAt: new Date('2030-01-31T12:00:00.000Z'),
  scopes: ['[1]'],
  externalId: 'customer-42',
  responsible: 'ada@example.com',
  tags: ['one', 'two; three'],
  metadata: { plan: 'gold', limits: [1, null] },
  rateLimit: { limit: 100, windowSeconds: 60 },
};

/** What a team without a policy demands of its keys. */
export const noTeamRules = { live: noRules, test: noRules } as const;
