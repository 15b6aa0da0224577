/** Reads the body of an HTML form, `application/x-www-form-urlencoded`, as OAuth 2.0 uses it (RFC 6749, appendix B). */
import { isUtf8 } from 'node:buffer';
import { badInput, LatchkeyError } from '../../domain/errors.ts';
import { mediaTypeOf } from '../../lib/content-type.ts';
import { BodyText } from './body-text.ts';
import type { GatewayRequest } from './gateway-request.ts';
import { bodyLimitBytes, checkCharset } from './json-body.ts';

/** The parameters by their names, each with its only value. */
export type FormParameters = ReadonlyMap<string, string>;

const maxParameters = 100;

/** Calls either `use` or `reject`. If `use` throws, `reject` is called with that error. */
export function readForm(
  request: GatewayRequest,
  use: (parameters: FormParameters) => void,
  reject: (error: unknown) => void,
): void {
  if (mediaTypeOf(request.headers['content-type']) !== 'application/x-www-form-urlencoded') {
    const message = 'The body must be a form, with Content-Type: application/x-www-form-urlencoded.';
    throw new LatchkeyError('UNSUPPORTED_MEDIA_TYPE', message);
  }
  checkCharset(request);
  const body = new BodyText(parseForm, use, reject);
  request.readBody({ take: (chunk) => body.add(chunk, bodyLimitBytes, 'The body'), end: () => body.finish() });
}

/**
 * Throws BAD_USER_INPUT for a repeated parameter (RFC 6749, section 3.2), and for text that other parsers would decode
 * differently. The error never repeats a name or a value, because either may be a secret.
 */
function parseForm(bytes: Buffer): FormParameters {
  if (!isUtf8(bytes)) throw badInput([{ field: 'body', message: 'must be UTF-8' }]);
  const parts = bytes.toString().split('&', maxParameters + 1);
  if (parts.length > maxParameters) {
    throw badInput([{ field: 'body', message: `must have at most ${maxParameters} parameters` }]);
  }
  const parameters = new Map<string, string>();
  for (const part of parts.filter((text) => text !== '')) {
    const end = part.indexOf('=');
    const name = formDecoded(end < 0 ? part : part.slice(0, end));
    const value = end < 0 ? '' : formDecoded(part.slice(end + 1));
    if (name === null || value === null) throw badInput([{ field: 'body', message: 'must be percent-encoded UTF-8' }]);
    if (parameters.has(name)) throw badInput([{ field: 'body', message: 'must have each parameter once' }]);
    parameters.set(name, value);
  }
  return parameters;
}

/** Returns null for text that is not percent-encoded UTF-8. */
export function formDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}
