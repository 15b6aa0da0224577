/** The profile `latchkey-v1` of HTTP Message Signatures. It sets what RFC 9421, section 1.4, leaves open. */
export const profile = {
  label: 'sig1',
  /** Distinguishes these signatures from other uses of the same secret (RFC 9421, section 7.2.7). */
  tag: 'latchkey-v1',
  algorithm: 'hmac-sha256',
  secretBytes: 32,
  /** The maximum time from `created` to `expires`. A nonce is stored longer, by twice the skew. */
  maxWindowSeconds: 300,
  /** The tolerated difference between the signer's and the server's clock, at both ends of the window. */
  clockSkewSeconds: 5,
  /** The maximum characters of Signature-Input, of Signature and of Content-Digest. */
  maxFieldLength: 4096,
} as const;

/** A nonce of at least 128 bits. Predictable nonces weaken only the signer's own protection from replays. */
export const nonceShape = /^[A-Za-z0-9_-]{22,128}$/;

const target = '"@method" "@authority" "@path" "@query"';

/** Returns the inner list of the components that must be covered, in the only accepted order. */
export function componentList(withBody: boolean): string {
  return withBody ? `(${target} "content-digest")` : `(${target})`;
}
