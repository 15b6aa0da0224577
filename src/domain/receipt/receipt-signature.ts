/** Signs and verifies receipts as JSON Web Signatures (RFC 7515, flattened JSON) with Ed25519 (RFC 8037). */
import { createPrivateKey, createPublicKey, hkdfSync, type KeyObject, sign, verify } from 'node:crypto';
import { isJsonObject } from '../../lib/json-object.ts';
import type { KeyRing, RingKey } from '../secret/key-ring.ts';

export interface SignedReceipt {
  readonly payload: string;
  readonly protected: string;
  readonly signature: string;
}

/** A public key as a JSON Web Key (RFC 8037, section 2). */
export interface ReceiptJwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
  readonly kid: string;
  readonly use: 'sig';
  readonly alg: 'EdDSA';
}

/** The beginning of a private key in PKCS #8 (RFC 8410, section 7), before its 32 bytes. */
const pkcs8Start = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The key of a ring key, under a purpose of its own: the same at every instance. */
function privateKeyOf({ bytes }: RingKey): KeyObject {
  const seed = hkdfSync('sha256', bytes, '', 'latchkey receipts', 32);
  return createPrivateKey({ key: Buffer.concat([pkcs8Start, Buffer.from(seed)]), format: 'der', type: 'pkcs8' });
}

export function signReceipt(statement: object, { current }: KeyRing): SignedReceipt {
  const header = encoded({ alg: 'EdDSA', kid: current.id });
  const payload = encoded(statement);
  const signature = sign(null, Buffer.from(`${header}.${payload}`), privateKeyOf(current)).toString('base64url');
  return { payload, protected: header, signature };
}

/** Returns the public keys of the ring, the current one first. */
export function receiptJwks({ current, byId }: KeyRing): { readonly keys: readonly ReceiptJwk[] } {
  const inOrder = [current, ...[...byId.values()].filter(({ id }) => id !== current.id)];
  return {
    keys: inOrder.map((key) => {
      const { x = '' } = createPublicKey(privateKeyOf(key)).export({ format: 'jwk' });
      return { kty: 'OKP', crv: 'Ed25519', x, kid: key.id, use: 'sig', alg: 'EdDSA' };
    }),
  };
}

/** Returns what is stated; null unless one of the keys has signed it. Both are of any origin. */
export function verifiedStatement(receipt: unknown, jwks: unknown): unknown {
  if (!isJsonObject(receipt) || !isJsonObject(jwks) || !Array.isArray(jwks.keys)) return null;
  const { payload, protected: header, signature } = receipt;
  if (typeof payload !== 'string' || typeof header !== 'string' || typeof signature !== 'string') return null;
  const signed = decoded(header);
  // The algorithm is ours, whatever the header says.
  if (!isJsonObject(signed) || signed.alg !== 'EdDSA') return null;
  const key = jwks.keys.find((one: unknown) => isJsonObject(one) && one.kid === signed.kid);
  if (!isJsonObject(key) || key.kty !== 'OKP' || key.crv !== 'Ed25519' || typeof key.x !== 'string') return null;
  try {
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key.x }, format: 'jwk' });
    const isSigned = verify(null, Buffer.from(`${header}.${payload}`), publicKey, Buffer.from(signature, 'base64url'));
    return isSigned ? decoded(payload) : null;
  } catch {
    return null;
  }
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decoded(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return null;
  }
}
