import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { OpaqueRevisions } from '../../src/domain/opaque-revisions.ts';

const secret = randomBytes(32);
const revisions = new OpaqueRevisions(secret);

it('gives a revision back from its text, also at another instance with the same secret', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 2n ** 63n - 1n), (revision) => {
      expect(new OpaqueRevisions(secret).decode(revisions.encode(revision))).toBe(revision);
    }),
  );
});

it('shows nothing of the number: texts of successive revisions share no beginning and have no order', () => {
  const texts = Array.from({ length: 1000 }, (_, i) => revisions.encode(BigInt(i)));
  expect(new Set(texts.map((text) => text.slice(0, 6))).size).toBeGreaterThan(990);
  expect(texts).not.toEqual(texts.toSorted());
});

it('decodes no other text: not a number, not one of another secret, not another spelling of the same bytes', () => {
  const text = revisions.encode(7n);
  const last = text.at(-1) ?? '';
  const spellings = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'].filter((c) => c !== last);
  for (const other of spellings) expect(revisions.decode(text.slice(0, -1) + other)).toBeNull();
  expect(revisions.decode(new OpaqueRevisions(randomBytes(32)).encode(7n))).toBeNull();
  for (const wrong of ['', '7', `${text}=`, text.slice(1), `${text}A`]) expect(revisions.decode(wrong)).toBeNull();
  fc.assert(fc.property(fc.string(), (any) => revisions.decode(any) === null));
});
