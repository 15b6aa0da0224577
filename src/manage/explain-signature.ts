import { receivedSignatureBase, verifySignature } from '../domain/http-signature.ts';
import type { SignatureExplanation } from '../domain/signature-checks.ts';
import type { SignedRequest } from '../domain/signed-request.ts';
import { openSigningSecret } from '../domain/signing-secret.ts';
import type { Management } from './management.ts';

export interface SignedRequestInput {
  readonly method: string;
  readonly url: string;
  /** One entry for each header line. */
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly bodyDigest?: string | null | undefined;
}

interface SigningKey {
  readonly id: string;
  readonly signingEnvelope: string;
  readonly signingVersion: number;
}

/** Checks the signature of a request as verification does, without using up the nonce. */
export async function explainSignature(
  { signingKeks, isNonceUsed }: Management,
  { id, signingEnvelope, signingVersion }: SigningKey,
  input: SignedRequestInput,
  now: Date,
): Promise<SignatureExplanation> {
  const request = requestOf(input);
  const secret = openSigningSecret(signingEnvelope, { keyId: id, version: signingVersion }, signingKeks);
  const signatureBase = receivedSignatureBase(request);
  const verdict = verifySignature({ request, keyId: id, secret, now });
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

function requestOf({ method, url, headers, bodyDigest }: SignedRequestInput): SignedRequest {
  const lines = new Map<string, string[]>();
  for (const { name, value } of headers) {
    const field = name.toLowerCase();
    lines.set(field, [...(lines.get(field) ?? []), value]);
  }
  const request = { method, url, headers: Object.fromEntries(lines) };
  return bodyDigest == null ? request : { ...request, bodyDigest };
}
