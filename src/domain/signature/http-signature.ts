import { createHmac, timingSafeEqual } from 'node:crypto';
import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';
import { hmacKey } from '../secret/hmac-key.ts';
import { agree, type ContentDigest, isDigestOfNothing, parseContentDigest } from './content-digest.ts';
import type { SignatureCheckName } from './signature-checks.ts';
import { readComponents, readParameters, readSignature, type SignatureInput } from './signature-fields.ts';
import { profile } from './signature-profile.ts';
import {
  announcesBody,
  parseRequestTarget,
  type RequestTarget,
  relevantFields,
  type SignedRequest,
} from './signed-request.ts';
import { trimOptionalWhitespace } from './structured-fields.ts';

interface SignatureCheck {
  readonly request: SignedRequest;
  /** The id of the presented key. A signature for another key is invalid. */
  readonly keyId: string;
  /** The decoded signing secret: 32 bytes. */
  readonly secret: Buffer;
  readonly now: Date;
}

interface ValidSignature {
  readonly outcome: 'valid';
  readonly nonce: string;
  /** When the signature expires, including clock skew. The nonce must be stored until then. */
  readonly expiresAt: Date;
}

interface RejectedSignature {
  readonly outcome: 'SIGNATURE_REQUIRED' | 'SIGNATURE_INVALID' | 'SIGNATURE_EXPIRED';
  /** The first check that failed. */
  readonly check: SignatureCheckName;
  /** Says what was expected, for the developer of the client. Never contains the correct signature. */
  readonly reason: string;
}

export type SignatureVerdict = ValidSignature | RejectedSignature;

/**
 * Verifies a signature by the profile `latchkey-v1`. Checks `expires` last, so that only holders of the secret learn
 * that their clock or queue is slow. The caller detects replays with the nonce of a valid signature. Nonces of invalid
 * signatures must not be stored, because any client could then fill the store.
 */
export function verifySignature({ request, keyId, secret, now }: SignatureCheck): SignatureVerdict {
  if (secret.length !== profile.secretBytes) throw new RangeError(`A signing secret has ${profile.secretBytes} bytes`);
  const signed = readSigned(request);
  if ('outcome' in signed) return signed;
  const { input, base, signature } = signed;
  if (input.keyid !== keyId) return invalid('KEY_ID', 'keyid must be the id of the presented key');
  // This form also rejects NaN.
  if (!(input.created * 1000 <= now.getTime() + profile.clockSkewSeconds * 1000)) {
    return invalid('CREATED', 'created must not be in the future');
  }
  if (!timingSafeEqual(signatureMac(base, secret), signature)) {
    return invalid('MAC', 'The signature must be the HMAC-SHA-256 of the signature base with the signing secret');
  }
  const bodyProblem = problemOfBody(request, signed);
  if (bodyProblem !== null) return invalid('BODY', bodyProblem);
  const expiresAt = new Date((input.expires + profile.clockSkewSeconds) * 1000);
  if (!(now.getTime() < expiresAt.getTime())) {
    return { outcome: 'SIGNATURE_EXPIRED', check: 'EXPIRES', reason: 'The signature must not have expired' };
  }
  return { outcome: 'valid', nonce: input.nonce, expiresAt };
}

/** Returns the signature base of the received request; null if the request is too malformed. */
export function receivedSignatureBase(request: SignedRequest): string | null {
  const signed = readSigned(request);
  return 'outcome' in signed ? null : signed.base;
}

export interface CoveredComponent {
  readonly name: string;
  readonly value: string;
}

/** Returns the text to sign (RFC 9421, section 2.5). `parameters`: the inner list of Signature-Input, unlabeled. */
export function signatureBase(components: readonly CoveredComponent[], parameters: string): string {
  let base = '';
  for (const { name, value } of components) base += `"${name}": ${value}\n`;
  return `${base}"@signature-params": ${parameters}`;
}

/** Returns the components that the profile covers, in its order. */
export function coveredComponents(target: RequestTarget, contentDigest: string | undefined): CoveredComponent[] {
  const components = [
    { name: '@method', value: target.method },
    { name: '@authority', value: target.authority },
    { name: '@path', value: target.path },
    { name: '@query', value: target.query },
  ];
  if (contentDigest !== undefined) components.push({ name: 'content-digest', value: contentDigest });
  return components;
}

/** Returns the HMAC-SHA-256 of a signature base (RFC 9421, section 3.3.3). */
export function signatureMac(base: string, secret: Buffer): Buffer {
  return createHmac('sha256', hmacKey(secret)).update(base).digest();
}

interface Signed {
  readonly input: SignatureInput;
  readonly signature: Buffer;
  readonly base: string;
  readonly digest: ContentDigest | null;
  readonly announcesBody: boolean;
}

function readSigned(request: SignedRequest): Signed | RejectedSignature {
  const fields = relevantFields(request.headers);
  // An empty field is an empty dictionary, which equals an absent field (RFC 9651, section 3.2).
  const inputText = fields.get('signature-input') ?? '';
  const signatureText = fields.get('signature') ?? '';
  if (inputText === '' && signatureText === '') return unsigned;
  const announced = announcesBody(fields);
  const digestText = fields.get('content-digest');
  const withBody = announced || digestText !== undefined;
  const components = readComponents(inputText, withBody);
  if (!components.ok) return invalid('COMPONENTS', components.problem);
  const input = readParameters(components.value);
  if (!input.ok) return invalid('PARAMETERS', input.problem);
  const signature = readSignature(signatureText);
  if (!signature.ok) return invalid('SIGNATURE', signature.problem);
  const target = parseRequestTarget(request, fields);
  if (!target.ok) return invalid('TARGET', target.problem);
  const digest = withBody ? readDigest(digestText) : accepted(null);
  if (!digest.ok) return invalid('CONTENT_DIGEST', digest.problem);
  return {
    input: input.value,
    signature: signature.value,
    base: signatureBase(coveredComponents(target.value, digestText), components.value.covered),
    digest: digest.value,
    announcesBody: announced,
  };
}

const unsigned: RejectedSignature = {
  outcome: 'SIGNATURE_REQUIRED',
  check: 'HEADERS',
  reason: 'The request must have Signature-Input and Signature',
};

function readDigest(text: string | undefined): Parsed<ContentDigest> {
  if (text === undefined) return rejected('A request with a body must have Content-Digest');
  if (text.length > profile.maxFieldLength)
    return rejected(`Content-Digest must have at most ${profile.maxFieldLength} characters`);
  const digest = parseContentDigest(text);
  return digest.ok ? digest : rejected(`Content-Digest ${digest.problem}`);
}

/** HTTP/2 bodies may come unannounced, so a request that was signed without a digest must have no body. */
function problemOfBody({ body, bodyDigest }: SignedRequest, signed: Signed): string | null {
  if (body === 'compared by the API') return null;
  if (body === 'unknown') return 'The request must have no body, or its digest must be compared';
  if (bodyDigest === undefined) {
    if (signed.announcesBody) return 'bodyDigest must be given for a request with a body';
    return signed.digest === null || isDigestOfNothing(signed.digest) ? null : differentBody;
  }
  const arrived = parseContentDigest(trimOptionalWhitespace(bodyDigest));
  if (!arrived.ok) return `bodyDigest ${arrived.problem}`;
  if (signed.digest === null) {
    return isDigestOfNothing(arrived.value) ? null : 'A request with a body must have Content-Digest';
  }
  return agree(signed.digest, arrived.value) ? null : differentBody;
}

const differentBody = 'The body must have the digest that was signed';

function invalid(check: SignatureCheckName, reason: string): RejectedSignature {
  return { outcome: 'SIGNATURE_INVALID', check, reason };
}
