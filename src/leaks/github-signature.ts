/** The signature of reports by GitHub's secret scanning: ECDSA on P-256 with SHA-256, over the bytes of the body. */
import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export interface GithubSignature {
  readonly keyId: string;
  readonly bytes: Buffer;
}

/** GitHub's key ids have 64 characters. */
const keyIdShape = /^[0-9A-Za-z_-]{1,128}$/;
/** Two numbers of at most 33 bytes in DER, as base64. */
const signatureShape = /^[0-9A-Za-z+/]{8,96}={0,2}$/;

/** Reads both headers. Returns null if one is absent or malformed. */
export function githubSignatureOf(headers: IncomingHttpHeaders): GithubSignature | null {
  const { 'github-public-key-identifier': keyId, 'github-public-key-signature': signature } = headers;
  if (typeof keyId !== 'string' || !keyIdShape.test(keyId)) return null;
  if (typeof signature !== 'string' || !signatureShape.test(signature)) return null;
  return { keyId, bytes: Buffer.from(signature, 'base64') };
}

/** Returns whether GitHub signed exactly these bytes. */
export function isSignedByGithub(body: Buffer, signature: GithubSignature, key: KeyObject): boolean {
  return verify('sha256', body, key, signature.bytes);
}

/** Parses a public key in PEM. Returns null for every other kind of key than the one that GitHub documents. */
export function parseGithubKey(pem: string): KeyObject | null {
  try {
    // Node derives the public key from a private one, which does not belong into a list of public keys.
    if (pem.includes('PRIVATE KEY')) return null;
    const key = createPublicKey(pem);
    return key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : null;
  } catch {
    return null;
  }
}
