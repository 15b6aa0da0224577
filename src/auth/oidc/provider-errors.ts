/** What errors of openid-client mean. Their causes contain codes and tokens, so they are never logged as they are. */
import { AuthorizationResponseError, ResponseBodyError, WWWAuthenticateChallengeError } from 'openid-client';
import { LatchkeyError } from '../../domain/errors.ts';
import type { SignInFailure } from '../../domain/sign-in-failure.ts';
import { codeOf, connectionProblem } from '../../lib/connection-problem.ts';

/** A sign-in that failed. The message is for the log; of what others chose, it has names of claims, but no values. */
export class SignInError extends Error {
  override readonly name = 'SignInError';
  readonly failure: SignInFailure;

  constructor(failure: SignInFailure, message: string) {
    super(message);
    this.failure = failure;
  }
}

/** The provider can't be used. Unless it only does not answer, someone has to correct something, here or there. */
export class ProviderError extends LatchkeyError {
  readonly isTemporary: boolean;

  constructor(problem: string, isTemporary: boolean) {
    super('UNAVAILABLE', `The identity provider can't be used: ${problem}.`);
    this.isTemporary = isTemporary;
  }
}

export function keysProblem(problem: string): string {
  return `the keys that it names (jwks_uri) can't be used: ${problem}`;
}

export function signInErrorOf(error: unknown): SignInError {
  if (error instanceof SignInError) return error;
  if (error instanceof LatchkeyError && error.code === 'RATE_LIMITED')
    return new SignInError('rate-limited', error.message);
  if (error instanceof ProviderError && !error.isTemporary) return new SignInError('unusable', error.message);
  if (isUnavailable(error)) return new SignInError('unavailable', providerProblem(error));
  const isDenied = error instanceof AuthorizationResponseError && error.error === 'access_denied';
  return new SignInError(isDenied ? 'cancelled' : 'rejected', providerProblem(error));
}

/** Returns whether the provider gave no answer, so that the same request can succeed later. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof SignInError) return error.failure === 'unavailable';
  if (error instanceof LatchkeyError) return error.code === 'UNAVAILABLE';
  if (error instanceof AuthorizationResponseError) {
    return ['server_error', 'temporarily_unavailable'].includes(error.error);
  }
  if (error instanceof ResponseBodyError || error instanceof WWWAuthenticateChallengeError) {
    return isTemporary(error.status);
  }
  // `fetch` throws TypeError for errors of the network.
  if (error instanceof TypeError) return true;
  const { code, cause } = error instanceof Error && 'code' in error ? error : {};
  if (code === 'OAUTH_RESPONSE_IS_NOT_CONFORM') return cause instanceof Response && isTemporary(cause.status);
  return code === 'OAUTH_TIMEOUT' || code === 'OAUTH_ABORT';
}

export function isTemporary(status: number): boolean {
  return status >= 500 || status === 429;
}

/** Returns whether the provider no longer accepts the token of a session. */
export function isEnded(error: unknown): boolean {
  if (error instanceof ResponseBodyError) return error.error === 'invalid_grant';
  // A challenge with another scheme is about the client, whose secret can be wrong here.
  return error instanceof WWWAuthenticateChallengeError && error.cause.some(({ scheme }) => scheme === 'bearer');
}

/**
 * Returns whether the provider rejects Latchkey itself, and not a token or code: RFC 6749, section 5.2. Providers also
 * answer 401 with codes of their own, such as Keycloak's `unauthorized_client`. A challenge of userinfo is about a token.
 */
export function isClientRejected(error: unknown): boolean {
  if (error instanceof ResponseBodyError) {
    return error.error === 'invalid_client' || (error.status === 401 && error.error !== 'invalid_grant');
  }
  if (!(error instanceof WWWAuthenticateChallengeError)) return false;
  return error.status === 401 && error.cause.every(({ scheme }) => scheme !== 'bearer');
}

/** Returns a text for the log: codes of openid-client and of OAuth, the name of a claim with a wrong value, their meaning. */
export function providerProblem(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  if (error instanceof SignInError || error instanceof LatchkeyError) return error.message;
  const codes = codesOf(error);
  if (isClientRejected(error)) {
    return `the identity provider rejects Latchkey as a client: check OIDC_CLIENT_ID and OIDC_CLIENT_SECRET (${codes})`;
  }
  // `fetch` throws TypeError for errors of the network.
  if (error instanceof TypeError) return connectionProblem(codeOf(error));
  const meaning = meaningOf(error);
  return meaning === undefined ? codes : `${codes}: ${meaning}`;
}

function meaningOf(error: Error): string | undefined {
  const { cause } = error;
  switch (Reflect.get(error, 'code')) {
    case 'OAUTH_TIMEOUT':
      return 'it gave no answer in time';
    case 'OAUTH_RESPONSE_IS_NOT_CONFORM':
      return `it answered ${cause instanceof Response ? cause.status : 'an error'}`;
    case 'OAUTH_RESPONSE_IS_NOT_JSON':
    case 'OAUTH_PARSE_ERROR':
      return 'its answer is not JSON';
    case 'OAUTH_INVALID_RESPONSE':
      return 'a member of its answer is missing or of another type, or its ID token is not a JWT with an expected algorithm';
    case 'OAUTH_JWT_CLAIM_COMPARISON_FAILED':
      return 'a claim of the ID token has another value than expected';
    case 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED':
      return 'the ID token has expired, or is from the future: compare the clocks';
    case 'OAUTH_HTTP_REQUEST_FORBIDDEN':
      return 'its discovery document names a URL without TLS';
    case 'OAUTH_UNSUPPORTED_OPERATION':
      return cause instanceof Error && cause.message.startsWith('JWE decryption')
        ? 'it encrypts ID tokens, which is not supported: turn it off for this client'
        : undefined;
  }
  return undefined;
}

function codesOf(error: Error): string {
  const { cause } = error;
  const claim =
    cause instanceof Error && typeof cause.cause === 'object' ? Reflect.get(cause.cause ?? {}, 'claim') : '';
  const parts = [
    Reflect.get(error, 'code') ?? error.name,
    Reflect.get(error, 'error'),
    Reflect.get(error, 'status'),
    cause instanceof Error ? Reflect.get(cause, 'code') : undefined,
    claim,
  ];
  // Only what has the form of a code.
  return [...new Set(parts.map(String))].filter((part) => /^[\w-]{2,60}$/.test(part) && part !== 'undefined').join(' ');
}

/** Returns why discovery failed, and what to do. */
export function discoveryErrorOf(error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  const problem = error instanceof Error ? discoveryProblem(error) : undefined;
  // Without a problem of the document, it is one of the network.
  const isTemporary = problem === undefined || (isUnavailable(error) && !(error instanceof TypeError));
  return new ProviderError(problem ?? providerProblem(error), isTemporary);
}

function discoveryProblem(error: Error): string | undefined {
  const { cause } = error;
  const at = 'at /.well-known/openid-configuration below OIDC_ISSUER';
  // An error of oauth4webapi is the cause of one of openid-client, or its cause is.
  const details: unknown = cause instanceof Error ? cause.cause : cause instanceof Response ? undefined : cause;
  const body: unknown = typeof details === 'object' && details !== null ? Reflect.get(details, 'body') : undefined;
  const issuer: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'issuer') : undefined;
  switch (Reflect.get(error, 'code')) {
    case 'OAUTH_TIMEOUT':
      return 'it gave no answer in time: check OIDC_ISSUER and the network';
    case 'OAUTH_RESPONSE_IS_NOT_CONFORM':
      return `it answered ${cause instanceof Response ? cause.status : 'an error'} ${at}: correct the issuer, or see the log of the provider`;
    case 'OAUTH_INVALID_RESPONSE':
    case 'OAUTH_RESPONSE_IS_NOT_JSON':
    case 'OAUTH_PARSE_ERROR':
      return body === undefined || Array.isArray(body)
        ? `there is no discovery document ${at}: correct the issuer`
        : 'its discovery document names no issuer';
    case 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED': {
      const named = typeof issuer === 'string' && /^https?:[\w./:-]{1,200}$/.test(issuer) ? `, ${issuer}` : '';
      return `its discovery document names another issuer${named}: set OIDC_ISSUER to exactly the issuer that it names`;
    }
    case 'ERR_INVALID_URL':
      return 'its discovery document names an issuer that is not a URL';
  }
  return undefined;
}
