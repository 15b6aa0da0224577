/**
 * The profile `latchkey-v1` of HTTP Message Signatures (RFC 9421): everything that RFC leaves to an application
 * (section 1.4), and nothing to choose from. One signature, the whole target, the body if there is one, one algorithm.
 */
export const profile = {
  label: 'sig1',
  /** Keeps signatures for other uses of one secret apart (RFC 9421, section 7.2.7). */
  tag: 'latchkey-v1',
  algorithm: 'hmac-sha256',
  secretBytes: 32,
  /** From `created` to `expires`. Also how long a nonce has to be remembered. */
  maxWindowSeconds: 300,
  /** How far the signer's clock may be from ours, at either end of the window. */
  clockSkewSeconds: 5,
  /** Characters of Signature-Input, of Signature and of Content-Digest. */
  maxFieldLength: 4096,
} as const;

/**
 * A nonce counts by its characters, 6 bits each in base64url: 22 of them hold 128 bits. How random they are can't be
 * seen; a signer that draws them badly weakens only its own protection from replays.
 */
export const nonceShape = /^[A-Za-z0-9_-]{22,128}$/;

const target = '"@method" "@authority" "@path" "@query"';

/** The inner list of the components that must be covered, in the one order that is accepted. */
export function componentList(withBody: boolean): string {
  return withBody ? `(${target} "content-digest")` : `(${target})`;
}
