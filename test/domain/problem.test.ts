import { expect, test } from 'vitest';
import { badInput, LatchkeyError } from '../../src/domain/errors.ts';
import { problem } from '../../src/domain/problem.ts';

const error = { type: 'urn:latchkey:problem:KEY_ALREADY_CREATED', title: 'The key was already created', status: 409 };

test('a problem document has the title and status of its code, the message, and no member without a value', () => {
  const created = new LatchkeyError('KEY_ALREADY_CREATED', 'It exists.', { keyId: 'key-1' });
  const members = { ...error, detail: 'It exists.', code: 'KEY_ALREADY_CREATED' };
  expect(problem(created)).toStrictEqual({ ...members, keyId: 'key-1' });
  expect(problem(created, 'request-1')).toStrictEqual({ ...members, requestId: 'request-1', keyId: 'key-1' });
});

test('a problem document lists the invalid fields', () => {
  const errors = [{ field: 'name', message: 'is required' }];
  expect(problem(badInput(errors))).toStrictEqual({
    type: 'urn:latchkey:problem:BAD_USER_INPUT',
    title: 'The input is not valid',
    status: 400,
    detail: 'name: is required',
    code: 'BAD_USER_INPUT',
    errors,
  });
});
