import { expect, test } from 'vitest';
import { toBase62 } from '../../../src/domain/secret/base62.ts';

test('digits come before capitals, capitals before small letters, most significant digit first', () => {
  const digits = Array.from({ length: 62 }, (_, i) => toBase62(BigInt(i), 1)).join('');
  expect(digits).toBe('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');
  expect(toBase62(62n, 2)).toBe('10');
  expect(toBase62(3843n, 2)).toBe('zz');
});

test('a number is padded with zeros to the requested length', () => {
  expect(toBase62(0n, 8)).toBe('00000000');
  expect(toBase62(61n, 3)).toBe('00z');
});

test('256 bits fit 43 digits, the length of the random part of a secret', () => {
  expect(toBase62(2n ** 256n - 1n, 43)).toBe('yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp1');
});

test('a number that does not fit is rejected, never cut', () => {
  expect(() => toBase62(62n, 1)).toThrow(new RangeError('the number does not fit 1 digits of base 62'));
  expect(() => toBase62(62n ** 6n, 6)).toThrow('the number does not fit 6 digits of base 62');
});
