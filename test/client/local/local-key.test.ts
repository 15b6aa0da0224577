/** How much memory a cached key uses at an edge. */
import { expect, it } from 'vitest';
import { LocalKey } from '../../../src/client/local/local-key.ts';
import { plainRow } from '../../support/feed-stand-in.ts';

const sources = Array.from({ length: 100 }, (_, i) => `10.0.${i}.0/24`);
const key = (i: number, more: object = {}) => new LocalKey({ ...plainRow, keyId: `key ${i}`, ...more });

it('the estimate of a key is about what it takes', () => {
  expect(key(1).bytes).toBeGreaterThan(1500);
  expect(key(1).bytes).toBeLessThan(3000);
  expect(key(1, { allowedIps: sources }).bytes).toBeGreaterThan(12_000);
  expect(key(1, { metadata: { list: Array.from({ length: 1000 }, () => ({})) } }).bytes).toBeGreaterThan(60_000);
});
