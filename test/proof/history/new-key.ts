/** The state of a new key, without its name and environment. */
export const newKey = {
  revoked: false,
  secret: 0,
  overlap: false,
  disabled: false,
  scopes: [],
  expiresAt: null,
  allowed: [],
  signing: null,
} as const;
