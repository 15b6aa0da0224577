import { expect, test } from 'vitest';
import { fingerprint, keyRing } from '../../../src/domain/secret/key-ring.ts';

const newer = { id: 'newer', bytes: Buffer.alloc(32, 'p') };
const older = { id: 'older', bytes: Buffer.alloc(32, 'o') };

test('the first key makes new values, and every key is still found by its id', () => {
  const ring = keyRing([newer, older]);
  expect(ring.current).toBe(newer);
  expect(ring.byId.get('newer')).toBe(newer);
  expect(ring.byId.get('older')).toBe(older);
  expect(ring.byId.get('unknown')).toBeUndefined();
});

test('a fingerprint is an HMAC of a fixed text: it distinguishes keys without revealing their bytes', () => {
  // Computed with Python's hmac module; it is stored, so it must never change.
  expect(fingerprint(newer)).toBe('yGC0V-AVn7VDGm_2a8tfOnSv9tMBFIhnwiNimFTmAeI');
  expect(fingerprint({ id: 'renamed', bytes: newer.bytes })).toBe(fingerprint(newer));
  expect(fingerprint(older)).not.toBe(fingerprint(newer));
});
