/**
 * The profile `latchkey-v1` of HTTP Message Signatures (RFC 9421). It fixes everything that the RFC leaves to an
 * application (section 1.4): one signature over the whole target and the body, if there is one, with one algorithm.
 */
export const profile = {
  label: 'sig1',
  /** Keeps signatures for other uses of one secret apart (RFC 9421, section 7.2.7). */
  tag: 'latchkey-v1',
  algorithm: 'hmac-sha256',
  secretBytes: 32,
  /** From `created` to `expires`. A nonce is remembered longer, by the clock skew at both ends. */
  maxWindowSeconds: 300,
  /** The tolerated difference between the signer's clock and this one, at both ends of the window. */
  clockSkewSeconds: 5,
  /** The maximum characters of Signature-Input, of Signature and of Content-Digest. */
  maxFieldLength: 4096,
} as const;

/**
 * A nonce has at least 128 bits: 22 characters of base64url with 6 bits each. Its randomness can't be checked. A signer
 * with predictable nonces weakens only its own protection from replays.
 */
export const nonceShape = /^[A-Za-z0-9_-]{22,128}$/;

const target = '"@method" "@authority" "@path" "@query"';

/** Returns the inner list of the components that must be covered, in the only accepted order. */
export function componentList(withBody: boolean): string {
  return withBody ? `(${target} "content-digest")` : `(${target})`;
}
