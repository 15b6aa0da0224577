import type { ApiKey } from '../../domain/key/api-key.ts';
import { hasPassed } from '../../domain/moment.ts';
import { previousSigningSecret } from '../../domain/secret/rotated-secret.ts';
import { openSigningSecret } from '../../domain/secret/signing-secret.ts';
import { receivedSignatureBase, verifySignature } from '../../domain/signature/http-signature.ts';
import type { SignatureExplanation } from '../../domain/signature/signature-checks.ts';
import type { SignedRequest } from '../../domain/signature/signed-request.ts';
import type { Management } from '../management.ts';

export interface SignedRequestInput {
  readonly method: string;
  readonly url: string;
  /** One entry for each header line. */
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly bodyDigest?: string | null | undefined;
}

type SigningKey = ApiKey & { readonly signingEnvelope: string };

/**
 * Checks the signature of a request as verification does, without using up the nonce. During the overlap of a rotation,
 * the previous secret is valid too. If the signature matches neither secret, the reason is about the current secret.
 */
export async function explainSignature(
  { signingKeks, isNonceUsed }: Management,
  key: SigningKey,
  input: SignedRequestInput,
  now: Date,
): Promise<SignatureExplanation> {
  const { id } = key;
  const request = requestOf(input);
  const signatureBase = receivedSignatureBase(request);
  const [verdict] = sealedSecretsOf(key, now)
    .map(({ envelope, version }) => openSigningSecret(envelope, { keyId: id, version }, signingKeks))
    .map((secret) => verifySignature({ request, keyId: id, secret, now }))
    .sort((a, b) => Number(a.outcome === 'SIGNATURE_INVALID') - Number(b.outcome === 'SIGNATURE_INVALID'));
  if (verdict === undefined) throw new Error('there is always a current signing secret');
  if (verdict.outcome !== 'valid') {
    const { outcome, check, reason } = verdict;
    return { outcome, failedCheck: check, reason, signatureBase };
  }
  if (await isNonceUsed(id, verdict.nonce)) {
    const reason = 'nonce must not have been used before with this key';
    return { outcome: 'SIGNATURE_REPLAYED', failedCheck: 'NONCE', reason, signatureBase };
  }
  return { outcome: 'VALID', failedCheck: null, reason: null, signatureBase };
}

function sealedSecretsOf(key: SigningKey, now: Date): { readonly envelope: string; readonly version: number }[] {
  const current = { envelope: key.signingEnvelope, version: key.signingVersion };
  const previous = previousSigningSecret(key);
  return previous === null || hasPassed(previous.expiresAt, now) ? [current] : [current, previous];
}

function requestOf({ method, url, headers, bodyDigest }: SignedRequestInput): SignedRequest {
  const lines = new Map<string, string[]>();
  for (const { name, value } of headers) {
    const field = name.toLowerCase();
    lines.set(field, [...(lines.get(field) ?? []), value]);
  }
  const request = { method, url, headers: Object.fromEntries(lines) };
  return bodyDigest == null ? request : { ...request, bodyDigest };
}
