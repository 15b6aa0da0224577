import { randomBytes } from 'node:crypto';
import { agree, bodyDigests, contentDigest, parseContentDigest } from '../domain/signature/content-digest.ts';
import { coveredComponents, signatureBase, signatureMac } from '../domain/signature/http-signature.ts';
import { componentList, nonceShape, profile } from '../domain/signature/signature-profile.ts';
import {
  type HeaderFields,
  parseRequestTarget,
  type RelevantFields,
  type RequestTarget,
  relevantFields,
} from '../domain/signature/signed-request.ts';
import { serializeByteSequence } from '../domain/signature/structured-fields.ts';

export interface RequestToSign {
  /** Exactly as it will be sent: methods are case-sensitive, and `fetch` and `node:http` send upper case. */
  readonly method: string;
  /** Absolute. The signature covers what `fetch` sends: `pathname` and `search` of `new URL(url)`. */
  readonly url: string | URL;
  /** Used to reject requests that would not verify. A Content-Digest must match the body, and is signed. */
  readonly headers?: HeaderFields;
  /** The whole body, after any content coding; a string is sent as UTF-8. Omit it for a request without a body. */
  readonly body?: string | Uint8Array;
}

export interface SigningOptions {
  /** The id of the key (not its secret, not its prefix). */
  readonly keyId: string;
  /** 64 hexadecimal characters, returned when request signing was enabled or rotated. */
  readonly signingSecret: string;
  /** Default: the current time. */
  readonly now?: Date;
  /** The lifetime of the signature, 1 to 300 seconds. Default: 60. */
  readonly expiresInSeconds?: number;
  /** 22 to 128 characters of base64url, never used before with this key. Default: 128 random bits. */
  readonly nonce?: string;
}

export interface SignatureHeaders {
  /** Present if the request has a body (RFC 9530). */
  readonly 'content-digest'?: string;
  readonly 'signature-input': string;
  readonly signature: string;
}

/**
 * Signs one request by the profile `latchkey-v1` of HTTP Message Signatures (RFC 9421): HMAC-SHA-256 over method,
 * authority, path, query and, with a body, its digest. The signature covers nothing else, in particular no headers.
 *
 * @returns the headers to add to the request. A retry needs a new signature: each is valid for one request only
 * @throws TypeError for an invalid request or secret, RangeError for an option out of bounds
 */
export function signRequest(request: RequestToSign, options: SigningOptions): SignatureHeaders {
  const secret = signerKey(options);
  const target = targetOf(request);
  const digest = digestOf(request, relevantFields(request.headers ?? {}));
  const parameters = componentList(digest !== undefined) + serializeParameters(options);
  const mac = signatureMac(signatureBase(coveredComponents(target, digest), parameters), secret);
  return {
    ...(digest === undefined ? {} : { 'content-digest': digest }),
    'signature-input': `${profile.label}=${parameters}`,
    signature: serializeByteSequence(profile.label, mac),
  };
}

/**
 * Returns the HMAC key of a signer.
 *
 * @throws TypeError for an invalid id or secret; the message contains neither, because a mistyped secret is secret too
 */
export function signerKey({ keyId, signingSecret }: Pick<SigningOptions, 'keyId' | 'signingSecret'>): Buffer {
  // Rejects characters that a Structured Fields string must escape (RFC 9651, section 3.3.3).
  if (typeof keyId !== 'string' || !/^[\x20\x21\x23-\x5b\x5d-\x7e]{1,256}$/.test(keyId)) {
    throw new TypeError('keyId must be the id of a key');
  }
  if (!/^[0-9a-fA-F]{64}$/.test(signingSecret)) throw new TypeError('signingSecret must be 64 hexadecimal characters');
  return Buffer.from(signingSecret, 'hex');
}

/** Returns the derived components of the request that `fetch` would send, computed as the verifier does. */
function targetOf({ method, url }: RequestToSign): RequestTarget {
  const { protocol, username, password, host, pathname, search } = new URL(url);
  if (username !== '' || password !== '') throw new TypeError('url must have no user name and no password');
  const sent = { method, url: `${protocol}//${host}${pathname}${search}`, headers: {} };
  const target = parseRequestTarget(sent, relevantFields(sent.headers));
  if (!target.ok) throw new TypeError(target.problem);
  return target.value;
}

/** Returns the Content-Digest to sign: a body is signed through its digest (RFC 9421, section 7.2.8). */
function digestOf({ body }: RequestToSign, fields: RelevantFields): string | undefined {
  if (fields.has('signature') || fields.has('signature-input')) {
    throw new TypeError('headers must not contain a signature: a request has only one');
  }
  const header = fields.get('content-digest');
  if (header === undefined) return body === undefined ? undefined : contentDigest(body);
  const parsed = parseContentDigest(header);
  if (!parsed.ok) throw new TypeError(`Content-Digest ${parsed.problem}`);
  if (!agree(parsed.value, bodyDigests(body ?? ''))) {
    throw new TypeError('Content-Digest must be the digest of the body');
  }
  return header;
}

function serializeParameters(options: SigningOptions): string {
  const { keyId, now = new Date(), expiresInSeconds = 60, nonce = randomBytes(16).toString('base64url') } = options;
  const created = Math.floor(now.getTime() / 1000);
  if (!(created >= 0)) throw new RangeError('now must be a time after 1970');
  const { maxWindowSeconds } = profile;
  if (!Number.isInteger(expiresInSeconds) || expiresInSeconds < 1 || expiresInSeconds > maxWindowSeconds) {
    throw new RangeError(`expiresInSeconds must be an integer from 1 to ${maxWindowSeconds}`);
  }
  if (!nonceShape.test(nonce)) throw new RangeError('nonce must be 22 to 128 characters of base64url');
  const expires = created + expiresInSeconds;
  return `;created=${created};expires=${expires};nonce="${nonce}";keyid="${keyId}";alg="${profile.algorithm}";tag="${profile.tag}"`;
}
