/** The public functions for Node.js programs: verify, derive and sign. */
export type { KeyLocationText } from '../domain/key-location.ts';
export type { HeaderFields } from '../domain/signature/signed-request.ts';
export type { VerdictCode } from '../domain/verdict/verdict-code.ts';
export { matchesContentDigest } from './content-digest.ts';
export { type Derivation, type DerivedToken, deriveToken } from './derive.ts';
export { createLocalVerifier, type LocalVerifier, type LocalVerifierOptions } from './local-verifier.ts';
export { type RequestToSign, type SignatureHeaders, type SigningOptions, signRequest } from './sign.ts';
export { type SigningFetchOptions, signingFetch } from './signing-fetch.ts';
export { type Verdict, type VerifiedKey, VerifierRejectedError, VerifierUnavailableError } from './verdict.ts';
export type { ReceivedRequest, Verification } from './verification.ts';
export { createVerifier, type Verifier, type VerifierOptions } from './verify.ts';
