import { expect, test } from 'vitest';
import { badInput, LatchkeyError } from '../../src/domain/errors.ts';
import { problem, rejectionProblem } from '../../src/domain/problem.ts';

const error = { type: '/errors#KEY_ALREADY_CREATED', title: 'The key was already created', status: 409 };

test('a problem document has the title and status of its code, the message, and no member without a value', () => {
  const created = new LatchkeyError('KEY_ALREADY_CREATED', 'It exists.', { keyId: 'key-1' });
  const members = { ...error, detail: 'It exists.', code: 'KEY_ALREADY_CREATED' };
  const errorsUrl = '/errors';
  expect(problem(created, { errorsUrl })).toStrictEqual({ ...members, keyId: 'key-1' });
  expect(problem(created, { errorsUrl, requestId: 'request-1' })).toStrictEqual({
    ...members,
    requestId: 'request-1',
    keyId: 'key-1',
  });
  expect(problem(created).type).toBe('urn:latchkey:problem:KEY_ALREADY_CREATED');
});

test('a problem document lists the invalid fields', () => {
  const errors = [{ field: 'name', message: 'is required' }];
  expect(problem(badInput(errors), { errorsUrl: '/errors' })).toStrictEqual({
    type: '/errors#BAD_USER_INPUT',
    title: 'The input is not valid',
    status: 400,
    detail: 'name: is required',
    code: 'BAD_USER_INPUT',
    errors,
  });
});

test('a rejected verification has the entry of its verdict as type, and a URN where no page is known', () => {
  const revoked = { title: 'The API key is revoked', status: 401, detail: 'The API key was revoked.', code: 'REVOKED' };
  expect(rejectionProblem('REVOKED')).toStrictEqual({ type: 'urn:latchkey:problem:REVOKED', ...revoked });
  const { type } = rejectionProblem('REVOKED', { errorsUrl: 'https://keys.example.com/errors' });
  expect(type).toBe('https://keys.example.com/errors#REVOKED');
});

test('a reached rate limit has the registered problem type, with the policy of the RateLimit fields', () => {
  expect(rejectionProblem('RATE_LIMITED', { errorsUrl: '/errors' })).toMatchObject({
    type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
    'violated-policies': ['default'],
    status: 429,
    code: 'RATE_LIMITED',
  });
});
