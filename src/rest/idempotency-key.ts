import { badInput } from '../domain/errors.ts';
import { parseIdempotencyKey } from '../domain/idempotency.ts';
import { limits } from '../domain/limits.ts';

const header = 'Idempotency-Key';

const length = `{1,${limits.idempotencyKeyCharacters}}`;
/** A String of Structured Fields (RFC 9651, section 3.3.3), as the draft has it. */
const quoted = new RegExp(`^"((?:[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\["\\\\])${length})"$`);
/** As many clients send it. Without a comma: two headers are joined by one. */
const bare = new RegExp(`^[\\x21\\x23-\\x2b\\x2d-\\x7e]${length}$`);

/** The key itself, however it is written. Throws BAD_USER_INPUT: a key that is ignored would promise what nobody keeps. */
export function parseIdempotencyHeader(value: string | string[] | undefined): string | undefined {
  if (value === undefined) return undefined;
  const text = String(value);
  const key = quoted.exec(text)?.[1]?.replace(/\\(.)/g, '$1') ?? (bare.test(text) ? text : '');
  const parsed = parseIdempotencyKey(key);
  if (!parsed.ok) throw badInput([{ field: header, message: `${parsed.problem}, between quotes` }]);
  return parsed.value;
}
