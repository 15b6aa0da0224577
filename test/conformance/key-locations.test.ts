/** Keys are found where the vectors say. */
import { expect, test } from 'vitest';
import { findPresentedKey, parseKeyLocations } from '../../src/domain/key-location.ts';
import { keyLocationVectors } from './vectors.ts';

test.each(keyLocationVectors)('the key locations of a vector: $name', ({ input, expected }) => {
  const parsed = parseKeyLocations(input.locations);
  expect(parsed.ok).toBe(expected.invalid !== true);
  if (!parsed.ok) return;
  const { challenge, instruction } = parsed.value;
  if (expected.challenge !== undefined) expect({ challenge, instruction }).toEqual(expected);
  if (input.headers === undefined) return;
  const headers = Object.fromEntries(input.headers.map(([name, value]) => [name.toLowerCase(), value]));
  const { key, ambiguous } = expected;
  const kind = key !== undefined ? { kind: 'key', key } : { kind: 'ambiguous', detail: ambiguous };
  expect(findPresentedKey(headers, parsed.value)).toEqual(expected.missing ? { kind: 'missing' } : kind);
});
