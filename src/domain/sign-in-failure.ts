/** Why a sign-in at the identity provider failed. The page after it gets only this code: texts of others do not reach it. */
export const signInFailures = [
  /** The user or the provider denied it. */
  'cancelled',
  /** It took too long, was repeated, or began in another browser. */
  'expired',
  /** Another site started it. */
  'cross-site',
  /** The provider's answer is not valid. The log says why. */
  'rejected',
  /** The provider names no teams of the user, or not as specified. */
  'no-teams',
  /** The teams of the user do not fit into a cookie. */
  'too-large',
  'unavailable',
  /** What the provider publishes can't be used, or the configuration does not fit it. The log says why. */
  'unusable',
  'rate-limited',
] as const;

export type SignInFailure = (typeof signInFailures)[number];
