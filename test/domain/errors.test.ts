import { expect, test } from 'vitest';
import { badInput, errorTable, LatchkeyError, masked } from '../../src/domain/errors.ts';

test('every code has the status that callers were promised', () => {
  expect(Object.fromEntries(Object.entries(errorTable).map(([code, { status }]) => [code, status]))).toEqual({
    BAD_USER_INPUT: 400,
    UNAUTHENTICATED: 401,
    FORBIDDEN: 403,
    KEY_NOT_FOUND: 404,
    NOT_FOUND: 404,
    METHOD_NOT_ALLOWED: 405,
    NOT_ACCEPTABLE: 406,
    KEY_REVOKED: 409,
    KEY_DISABLED: 409,
    SIGNING_ALREADY_ENABLED: 409,
    SIGNING_NOT_ENABLED: 409,
    KEY_LIMIT_REACHED: 409,
    SELECTION_CHANGED: 409,
    KEY_ALREADY_CREATED: 409,
    PRECONDITION_FAILED: 412,
    PAYLOAD_TOO_LARGE: 413,
    UNSUPPORTED_MEDIA_TYPE: 415,
    IDEMPOTENCY_KEY_REUSED: 422,
    RATE_LIMITED: 429,
    INTERNAL_SERVER_ERROR: 500,
    UNAVAILABLE: 503,
  });
});

test('titles tell the codes apart: no two are the same', () => {
  const titles = Object.values(errorTable).map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
});

test('an error has its code and message, and fields and a cause only if they are given', () => {
  const error = new LatchkeyError('KEY_REVOKED', 'the key was revoked');
  const { code, message, fields } = error;
  expect([error.name, code, message, fields]).toEqual(['LatchkeyError', 'KEY_REVOKED', 'the key was revoked', []]);
  expect('cause' in error).toBe(false);
  const cause = new Error('connection to 10.1.2.3 refused');
  expect(new LatchkeyError('UNAVAILABLE', 'try again', { cause })).toMatchObject({ cause, message: 'try again' });
});

test('of all errors, only an unavailable service can be tried again, after a second or when it says so', () => {
  const retryOf = (...error: ConstructorParameters<typeof LatchkeyError>) =>
    new LatchkeyError(...error).retryAfterSeconds;
  expect(retryOf('UNAVAILABLE', '')).toBe(1);
  expect(retryOf('UNAVAILABLE', '', { retryAfterSeconds: 5 })).toBe(5);
  expect(retryOf('RATE_LIMITED', '', { retryAfterSeconds: 5 })).toBe(5);
  expect(retryOf('KEY_REVOKED', '')).toBeUndefined();
});

test('an unexpected error is hidden, and kept as the cause', () => {
  const cause = new Error('secret');
  const { code, message, cause: kept } = masked(cause);
  expect([code, message, kept]).toEqual(['INTERNAL_SERVER_ERROR', 'Something went wrong on our side.', cause]);
});

test('bad input names every field that is wrong, in one message and as a list', () => {
  const fields = [
    { field: 'name', message: 'must have 1 to 100 characters after trimming' },
    { field: 'allowedIps[2]', message: 'must have no control characters' },
  ];
  expect(badInput(fields)).toMatchObject({
    code: 'BAD_USER_INPUT',
    message: 'name: must have 1 to 100 characters after trimming; allowedIps[2]: must have no control characters',
    fields,
  });
});

test('lists at most 100 invalid fields, the last with the number of the remaining ones', () => {
  const wrong = (length: number) => Array.from({ length }, (_, i) => ({ field: `f${i}`, message: 'is wrong' }));
  expect(badInput(wrong(100)).fields).toEqual(wrong(100));
  const { fields, message } = badInput(wrong(4000));
  expect(fields).toEqual([...wrong(99), { field: 'errors', message: 'there are more, which are not listed' }]);
  expect(message).toBe(fields.map((one) => `${one.field}: ${one.message}`).join('; '));
  // A field name can be as long as the body.
  const [field] = badInput([{ field: 'x'.repeat(60_000), message: 'is not a known field' }]).fields;
  expect(field?.field).toBe('x'.repeat(200));
});
