/** Keys without restrictions, to which a test adds what it is about. */
import { initialState } from '../../src/domain/key/api-key.ts';

/** The fields of an `ApiKey` that was never changed and has no settings but its name. */
export const plainKey = {
  ...initialState,
  allowedIps: [],
  expiresAt: null,
  scopes: [],
  externalId: null,
  tags: [],
  metadata: null,
  rateLimit: null,
} as const;

/** The same of a `FeedKey`. */
export const plainFeedKey = {
  revision: 1,
  allowedIps: [],
  expiresAt: null,
  revoked: false,
  disabled: false,
  scopes: [],
  externalId: null,
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
