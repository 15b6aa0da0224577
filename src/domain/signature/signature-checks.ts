/** The checks of a signed request, in order. The caller of `verifySignature` makes the last check, of the nonce. */
export type SignatureCheckName =
  | 'HEADERS'
  | 'COMPONENTS'
  | 'PARAMETERS'
  | 'SIGNATURE'
  | 'TARGET'
  | 'CONTENT_DIGEST'
  | 'KEY_ID'
  | 'CREATED'
  | 'MAC'
  | 'BODY'
  | 'EXPIRES'
  | 'NONCE';

/** Why a signature was accepted or rejected, for the signer's developer. Never contains an expected MAC or digest. */
export interface SignatureExplanation {
  readonly outcome: 'VALID' | 'SIGNATURE_REQUIRED' | 'SIGNATURE_INVALID' | 'SIGNATURE_EXPIRED' | 'SIGNATURE_REPLAYED';
  /** The first check that failed; null if all passed. */
  readonly failedCheck: SignatureCheckName | null;
  /** What the failed check expects. */
  readonly reason: string | null;
  /** The signature base as the server computes it from the request; null if the request is too malformed. */
  readonly signatureBase: string | null;
}
