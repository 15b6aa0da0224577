import { expect, test } from 'vitest';
import { isJsonObject } from '../../src/lib/json-object.ts';
import { withTimeout } from '../../src/lib/timeout.ts';
import { containsUuid, isUuid } from '../../src/lib/uuid.ts';

test('a timeout resolves to the result of the work, or to the given value, and passes errors on', async () => {
  expect(await withTimeout(Promise.resolve('done'), 60_000, 'late')).toBe('done');
  expect(await withTimeout(new Promise<string>(() => undefined), 1, 'late')).toBe('late');
  await expect(withTimeout(Promise.reject(new Error('failed')), 60_000, 'late')).rejects.toThrow('failed');
});

test('neither null nor a list is a JSON object', () => {
  expect([{}, { a: 1 }, null, [], 'x', 1, undefined].map(isJsonObject)).toEqual([
    ...[true, true, false, false, false, false, false],
  ]);
});

test('a UUID has 32 hexadecimal digits in five groups, in any case, and nothing around it', () => {
  const uuid = '0197a2b4-6c1e-7d3f-8A55-2f9b1c0d4e6a';
  expect([uuid, uuid.toUpperCase(), `${uuid}0`, ` ${uuid}`, uuid.replace('-', ''), ''].map(isUuid)).toEqual([
    ...[true, true, false, false, false, false],
  ]);
  expect([`/keys/${uuid}?x`, uuid.slice(1)].map(containsUuid)).toEqual([true, false]);
});
