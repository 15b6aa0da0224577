import { parseIdempotencyKey } from '../domain/key/idempotency.ts';
import { limits } from '../domain/limits.ts';
import { accepted, type Parsed, rejected } from '../lib/parsed.ts';

const length = `{1,${limits.idempotencyKeyCharacters}}`;
/** A String of Structured Fields (RFC 9651, section 3.3.3), as the draft has it. */
const quoted = new RegExp(`^"((?:[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\["\\\\])${length})"$`);
/** Without quotes, as many clients send it. A comma is not allowed, because Node joins two headers with one. */
const bare = new RegExp(`^[\\x21\\x23-\\x2b\\x2d-\\x7e]${length}$`);

/** Returns the key without quotes. Rejects a malformed header: ignoring it would break idempotency. */
export function parseIdempotencyHeader(value: string | string[] | undefined): Parsed<string | undefined> {
  if (value === undefined) return accepted(undefined);
  const text = String(value);
  const key = quoted.exec(text)?.[1]?.replace(/\\(.)/g, '$1') ?? (bare.test(text) ? text : '');
  const parsed = parseIdempotencyKey(key);
  return parsed.ok ? parsed : rejected(`${parsed.problem}, between quotes`);
}
