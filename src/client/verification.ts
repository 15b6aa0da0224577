/** The input of a verification. Uses web standards only. */
import type { KeyEnv } from '../domain/key/key-env.ts';
import { type HeaderFields, relevantFields } from '../domain/signature/signed-request.ts';
import type { Verdict } from './verdict.ts';

/** A request as the service received it, for keys whose requests must be signed. */
export interface ReceivedRequest {
  readonly method: string;
  /** The URL that the caller requested: absolute, or only path and query, which the Host header completes. */
  readonly url: string;
  /** `content-digest`, `content-length`, `host`, `signature`, `signature-input`, `transfer-encoding`; others are ignored. */
  readonly headers: HeaderFields;
  /**
   * The digest of the bytes that arrived, as a Content-Digest value (RFC 9530) with sha-256 or sha-512. Omit it only if
   * no body arrived: a signed request with a body is SIGNATURE_INVALID without its digest.
   */
  readonly bodyDigest?: string;
}

export interface Verification {
  /** The full key, as the caller presented it. */
  readonly key: string;
  /** The required environment: keys of the other environment are rejected. */
  readonly env?: KeyEnv | undefined;
  /** The IP address of the caller. Keys with an allow-list are rejected without it. */
  readonly sourceIp?: string | undefined;
  /** The scopes that the request needs. The key must have every scope. */
  readonly scopes?: readonly string[] | undefined;
  readonly request?: ReceivedRequest | undefined;
}

/** Returns the verdict on a presented key. */
export type Verify = (verification: Verification) => Promise<Verdict>;

const signatureFields: ReadonlySet<string> = new Set(['signature', 'signature-input']);

/** Returns whether a request has a Signature or a Signature-Input field (RFC 9421, section 4). */
export function isSigned(headers: HeaderFields): boolean {
  // Returns early for most requests, which have neither field.
  if (!Object.keys(headers).some((name) => signatureFields.has(name.toLowerCase()))) return false;
  const fields = relevantFields(headers);
  return (fields.get('signature') ?? '') !== '' || (fields.get('signature-input') ?? '') !== '';
}

/** Returns the body of the call, with only the fields of a verification. */
export function callOf({ key, env, sourceIp, scopes, request }: Verification): object {
  return { key, env, sourceIp, scopes, request };
}
