import { replaceControlCharacters } from '../../domain/text.ts';
import { connectionErrorCodes } from './receiver-connection.ts';

/** Why an attempt failed. Teams see it, so it never contains received data or resolved addresses. */
export type AttemptError =
  | 'timed out'
  | 'the name has no address'
  | 'the name could not be resolved'
  | 'the address is not allowed'
  | 'the port is not allowed'
  | 'http is not allowed'
  | 'the address could not be reached'
  | 'the connection was refused'
  | 'the connection was closed'
  | 'the TLS certificate is not valid'
  | 'the TLS handshake failed'
  | 'the TLS handshake is too long'
  | 'the answer is not valid HTTP'
  | 'the answer is too long'
  | 'redirects are not followed'
  | 'the request failed';

/** The result of one request to a webhook. */
export interface Attempt {
  /** Whether the status is 2xx. This accepts the event, even if the body never ends. */
  readonly ok: boolean;
  /** Null if there was no answer. */
  readonly status: number | null;
  readonly durationMs: number;
  /** The start of the body that arrives within 100 ms of the status, in one line of at most 1,024 bytes. */
  readonly responseBody: string;
  /** Null for an answer, except for redirects. */
  readonly error: AttemptError | null;
  /** The delay in `Retry-After`, at most 24 hours; null without one, or if `ok`. */
  readonly retryAfterMs: number | null;
  /** Whether the status is 410: the receiver wants no more events. */
  readonly isGone: boolean;
  /** The CPU time for all data received over TLS, including the handshake; 0 without TLS. */
  readonly cpuMs: number;
}

/** The result of an attempt without an answer, apart from its error. */
export const noAnswer = {
  ok: false,
  status: null,
  durationMs: 0,
  responseBody: '',
  retryAfterMs: null,
  isGone: false,
  cpuMs: 0,
} as const;

export const maxResponseBodyBytes = 1024;

const unreachable = [
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'ETIMEDOUT',
  'EHOSTDOWN',
  'ENETDOWN',
  'EACCES',
  'EPERM',
];

const errors = new Map<string, AttemptError>([
  ['ECONNREFUSED', 'the connection was refused'],
  ['ECONNRESET', 'the connection was closed'],
  ['ECONNABORTED', 'the connection was closed'],
  ['EPIPE', 'the connection was closed'],
  ['EPROTO', 'the TLS handshake failed'],
  [connectionErrorCodes.tooLong, 'the TLS handshake is too long'],
  [connectionErrorCodes.slow, 'timed out'],
  ['HPE_HEADER_OVERFLOW', 'the answer is too long'],
  ...unreachable.map((code) => [code, 'the address could not be reached'] as const),
]);

/** Returns the error for the code of an error of Node.js or OpenSSL. */
export function attemptErrorOf(code: string): AttemptError {
  const error = errors.get(code);
  if (error !== undefined) return error;
  if (code.startsWith('HPE_')) return 'the answer is not valid HTTP';
  return /^ERR_(?:SSL|TLS)_/.test(code) ? 'the TLS handshake failed' : 'the request failed';
}

/** Decodes received bytes as one line of text, without a character that is cut off at the end. */
export function responseText(bytes: Buffer): string {
  const text = replaceControlCharacters(decode(bytes, bytes.length >= maxResponseBodyBytes));
  // An invalid byte becomes a replacement character of three bytes, so the text can be longer than the input.
  const encoded = Buffer.from(text);
  return encoded.length <= maxResponseBodyBytes ? text : decode(encoded.subarray(0, maxResponseBodyBytes), true);
}

function decode(bytes: Uint8Array, isCut: boolean): string {
  return new TextDecoder().decode(bytes, { stream: isCut });
}
