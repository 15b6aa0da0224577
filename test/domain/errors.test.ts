import { expect, test } from 'vitest';
import { badInput, errorTable, LatchkeyError, masked } from '../../src/domain/errors.ts';

// document-tables.test.ts compares the statuses with docs/reference/rest.md.
test('titles tell the codes apart: no two are the same', () => {
  const titles = Object.values(errorTable).map(({ title }) => title);
  for (const title of titles) expect(title).toMatch(/^[A-Z].+[a-z]$/);
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
