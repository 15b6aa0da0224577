/** An error of the API, with its code and the id of the call in the server's log. */
export class ApiError extends Error {
  readonly code: string;
  readonly requestId: string | null;
  /** The errors of fields, for BAD_USER_INPUT. */
  readonly fields: readonly FieldProblem[];
  /** The time to wait before another try, for RATE_LIMITED. */
  readonly retryAfterSeconds: number | null;
  /** The key that exists already, for KEY_ALREADY_CREATED. */
  readonly keyId: string | null;
  /** Which of several causes of a code applies, such as SESSION_CHANGED for UNAUTHENTICATED. */
  readonly reason: string | null;

  constructor(code: string, message: string, requestId: string | null, details: Details = {}) {
    super(sentenceOf(message));
    this.name = 'ApiError';
    this.code = code;
    this.requestId = requestId;
    this.fields = details.errors ?? [];
    this.retryAfterSeconds = details.retryAfterSeconds ?? null;
    this.keyId = details.keyId ?? null;
    this.reason = details.reason ?? null;
  }
}

/** The messages of the service about fields are parts of a sentence, such as `must be in the future`. */
export function sentenceOf(message: string): string {
  const text = message.trim();
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?…:]$/.test(text) || text === '' ? '' : '.'}`;
}

interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

interface Details {
  readonly errors?: readonly FieldProblem[];
  readonly retryAfterSeconds?: number;
  readonly keyId?: string;
  readonly reason?: string;
}

/** RFC 9457. The endpoints under /session answer it. */
interface ProblemDocument extends Details {
  readonly code?: string;
  readonly detail?: string;
}

interface GraphQLError {
  readonly message: string;
  readonly extensions?: Details & { readonly code?: string; readonly requestId?: string };
}

/** The message of the service is for programs: it is about points. */
const tooMuch = 'This is too much for one request. Choose another order, remove a filter, or hide columns.';

export function errorOfBody(body: object | null, response: Response): ApiError {
  const requestId = response.headers.get('x-request-id');
  const status = `HTTP ${response.status}`;
  const unreadable = 'The response of the server can’t be read.';
  const problem: ProblemDocument & { readonly errors?: readonly unknown[] } = body ?? {};
  if (problem.code !== undefined) return new ApiError(problem.code, problem.detail ?? unreadable, requestId, problem);
  const error = (body as { readonly errors?: readonly GraphQLError[] } | null)?.errors?.[0];
  if (error === undefined) return new ApiError(status, unreadable, requestId);
  const { extensions = {} } = error;
  const message = error.message.startsWith('The operation costs ') ? tooMuch : error.message;
  return new ApiError(extensions.code ?? status, message, extensions.requestId ?? requestId, extensions);
}

export function isUnauthenticated(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 'UNAUTHENTICATED';
}
