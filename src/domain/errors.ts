/** The path of the page that explains every code, on both ports. */
export const errorsPath = '/errors';

/** The codes of all errors. `status` is the HTTP status in REST. */
export const errorTable = {
  BAD_USER_INPUT: { status: 400, title: 'The input is not valid' },
  UNAUTHENTICATED: { status: 401, title: 'A valid token is needed' },
  FORBIDDEN: { status: 403, title: 'The caller lacks the permission' },
  KEY_NOT_FOUND: { status: 404, title: 'There is no such key' },
  CREDENTIAL_NOT_FOUND: { status: 404, title: 'There is no such management key or trust rule' },
  FENCE_NOT_FOUND: { status: 404, title: 'There is no such fence' },
  RECEIPT_NOT_FOUND: { status: 404, title: 'There is no such receipt' },
  WEBHOOK_NOT_FOUND: { status: 404, title: 'There is no such webhook' },
  NOT_FOUND: { status: 404, title: 'There is nothing at this path' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'The path does not take this method' },
  NOT_ACCEPTABLE: { status: 406, title: 'No acceptable media type' },
  REQUEST_TIMEOUT: { status: 408, title: 'The request took too long to arrive' },
  KEY_REVOKED: { status: 409, title: 'The key is revoked' },
  KEY_DISABLED: { status: 409, title: 'The key is disabled' },
  SIGNING_ALREADY_ENABLED: { status: 409, title: 'Signing is enabled already' },
  SIGNING_NOT_ENABLED: { status: 409, title: 'Signing is not enabled' },
  KEY_LIMIT_REACHED: { status: 409, title: 'The team has reached its maximum number of keys' },
  CREDENTIAL_LIMIT_REACHED: { status: 409, title: 'The team has reached its maximum number of credentials' },
  FENCE_LIMIT_REACHED: { status: 409, title: 'The team has reached its maximum number of fences' },
  OLDER_INSTANCES: { status: 409, title: 'An instance of an older version may run' },
  WEBHOOK_LIMIT_REACHED: { status: 409, title: 'The team has reached its maximum number of webhooks' },
  POLICY_VIOLATED: { status: 409, title: 'The policy of the team does not permit this' },
  EXTERNAL_ID_AMBIGUOUS: { status: 409, title: 'Several keys have the external id' },
  DIGEST_IN_USE: { status: 409, title: 'The digest is or was that of a key' },
  SELECTION_CHANGED: { status: 409, title: 'The filter selects other keys than the dry run' },
  KEY_ALREADY_CREATED: { status: 409, title: 'The key was already created' },
  PRECONDITION_FAILED: { status: 412, title: 'The key has changed' },
  PAYLOAD_TOO_LARGE: { status: 413, title: 'The body is too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'The media type of the body is not supported' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, title: 'The idempotency key belongs to another request' },
  RATE_LIMITED: { status: 429, title: 'Too many calls' },
  HEADERS_TOO_LARGE: { status: 431, title: 'The URL and the headers are too large' },
  INTERNAL_SERVER_ERROR: { status: 500, title: 'Something went wrong on our side' },
  UNAVAILABLE: { status: 503, title: 'The service is not available right now' },
} as const;

export type ErrorCode = keyof typeof errorTable;

export interface FieldError {
  /** The path of the field as the caller wrote it, such as `allowedIps[2]`. */
  readonly field: string;
  /** Says what was expected, but not the value, which may be a secret that was pasted into the wrong field. */
  readonly message: string;
  /** The rule of the policy, for POLICY_VIOLATED. */
  readonly rule?: string;
}

interface ErrorOptions {
  readonly fields?: readonly FieldError[];
  readonly cause?: unknown;
  readonly retryAfterSeconds?: number;
  readonly keyId?: string | undefined;
  readonly keyIds?: readonly string[];
  readonly reason?: ErrorReason;
  readonly acceptEncoding?: string;
}

/** Tells programs which of several causes of a code applies, where they have to act differently. */
export type ErrorReason = 'SESSION_CHANGED' | 'SESSION_UNCONFIRMED';

/** An error whose code, message and fields are sent to the caller. The cause is only logged. */
export class LatchkeyError extends Error {
  override readonly name = 'LatchkeyError';
  readonly code: ErrorCode;
  readonly fields: readonly FieldError[];
  /** The seconds to wait before a retry; undefined if a retry does not help. */
  readonly retryAfterSeconds: number | undefined;
  /** The key that the error is about, unless the caller sent its id. */
  readonly keyId: string | undefined;
  /** The keys that the error is about, if there are several. */
  readonly keyIds: readonly string[] | undefined;
  readonly reason: ErrorReason | undefined;
  /** The content codings of a body that are accepted; undefined unless the body has another one. */
  readonly acceptEncoding: string | undefined;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    const { fields = [], cause, retryAfterSeconds, keyId, reason } = options;
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.fields = fields;
    this.keyId = keyId;
    this.keyIds = options.keyIds;
    this.reason = reason;
    this.acceptEncoding = options.acceptEncoding;
    this.retryAfterSeconds = retryAfterSeconds ?? (code === 'UNAVAILABLE' ? 1 : undefined);
  }
}

/** Returns the error for a body with a content coding that is not among those accepted (RFC 9110, section 15.5.16). */
export function unsupportedCoding(accepted: string): LatchkeyError {
  const message =
    accepted === 'identity'
      ? 'The body must not be compressed.'
      : `The body has another Content-Encoding than ${accepted}.`;
  return new LatchkeyError('UNSUPPORTED_MEDIA_TYPE', message, { acceptEncoding: accepted });
}

/** Hides an unexpected error from the caller. The cause is only logged. */
export function masked(cause: unknown): LatchkeyError {
  return new LatchkeyError('INTERNAL_SERVER_ERROR', 'Something went wrong on our side.', { cause });
}

/** The details of an error in both APIs, in addition to its code and message. */
export interface ErrorDetails {
  readonly errors?: readonly FieldError[];
  readonly keyId?: string;
  readonly keyIds?: readonly string[];
  readonly reason?: ErrorReason;
}

/** Returns the members that both a problem document and the extensions of a GraphQL error have. */
export function errorDetails({ fields, keyId, keyIds, reason }: LatchkeyError): ErrorDetails {
  return {
    ...(fields.length === 0 ? {} : { errors: fields }),
    ...(keyId === undefined ? {} : { keyId }),
    ...(keyIds === undefined ? {} : { keyIds }),
    ...(reason === undefined ? {} : { reason }),
  };
}

/** The maximum number of field errors in an answer. With `isFull`, it also limits the search for errors. */
const maxFieldErrors = 100;
const maxPathCharacters = 200;
/** The field name of the entry that stands for all unlisted fields. */
export const unlistedFields = 'errors';

/** Returns whether there are more errors than an answer lists, so that the caller can stop looking for errors. */
export function isFull(errors: readonly unknown[]): boolean {
  return errors.length > maxFieldErrors;
}

export function badInput(wrong: readonly FieldError[]): LatchkeyError {
  const more = { field: unlistedFields, message: 'there are more, which are not listed' };
  const listed = isFull(wrong) ? [...wrong.slice(0, maxFieldErrors - 1), more] : wrong;
  const fields = listed.map(({ field, message }) => ({ field: field.slice(0, maxPathCharacters), message }));
  const message = fields.map(({ field, message }) => `${field}: ${message}`).join('; ');
  return new LatchkeyError('BAD_USER_INPUT', message, { fields });
}
