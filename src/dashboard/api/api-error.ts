interface Details {
  readonly fields?: readonly FieldProblem[] | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly keyId?: string | undefined;
}

/** An error of the API, with its code and the id of the call in the server's log. */
export class ApiError extends Error {
  readonly code: string;
  readonly requestId: string | null;
  /** For BAD_USER_INPUT: the errors of fields. */
  readonly fields: readonly FieldProblem[];
  /** For RATE_LIMITED: the time after which to try again. */
  readonly retryAfterSeconds: number | null;
  /** For KEY_ALREADY_CREATED: the key. */
  readonly keyId: string | null;

  constructor(code: string, message: string, requestId: string | null, details: Details = {}) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.requestId = requestId;
    this.fields = details.fields ?? [];
    this.retryAfterSeconds = details.retryAfterSeconds ?? null;
    this.keyId = details.keyId ?? null;
  }
}

interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

interface GraphQLError {
  readonly message: string;
  readonly extensions?: {
    readonly code?: string;
    readonly requestId?: string;
    readonly errors?: FieldProblem[];
    readonly retryAfterSeconds?: number;
    readonly keyId?: string;
  };
}

export function errorOfBody(body: unknown, response: Response): ApiError {
  const requestId = response.headers.get('x-request-id');
  const error = (body as { readonly errors?: readonly GraphQLError[] } | null)?.errors?.[0];
  if (error === undefined)
    return new ApiError(`HTTP ${response.status}`, 'The response of the server can’t be read.', requestId);
  const {
    code = `HTTP ${response.status}`,
    requestId: id = requestId,
    errors: fields,
    retryAfterSeconds,
    keyId,
  } = error.extensions ?? {};
  return new ApiError(code, error.message, id, { fields, retryAfterSeconds, keyId });
}
