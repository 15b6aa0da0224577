import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isConflict, matchOf } from '../../../src/domain/secret/matching-keys.ts';

const key = fc.record({
  id: fc.uuid(),
  teamId: fc.constantFrom('team-1', 'team-2'),
  revoked: fc.boolean(),
  rotated: fc.boolean(),
  importRevision: fc.option(fc.nat(5)),
});
const keys = fc
  .uniqueArray(key, { minLength: 1, maxLength: 5, selector: ({ id }) => id })
  .chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })));

function match([first, ...more]: readonly (typeof key extends fc.Arbitrary<infer Key> ? Key : never)[]) {
  if (first === undefined) throw new Error('at least one key');
  return matchOf([first, ...more]);
}

test('the result depends neither on the order of the keys nor on duplicates', () => {
  fc.assert(
    fc.property(keys, ([list, shuffled]) => {
      expect(match([...shuffled, ...shuffled])).toEqual(match([...list, ...list]));
    }),
  );
});

test('of several keys of a team, a revoked one decides, then one that rotated the secret, then the first imported', () => {
  const plain = { id: 'b', teamId: 'team-1' as const, revoked: false, rotated: false, importRevision: 2 };
  const inOrder = [
    { ...plain, id: 'd', revoked: true, importRevision: 5 },
    { ...plain, id: 'c', rotated: true, importRevision: 4 },
    { ...plain, id: 'e', importRevision: null },
    { ...plain, id: 'f', importRevision: 1 },
    { ...plain, id: 'a' },
    plain,
  ];
  for (const [i, first] of inOrder.entries()) {
    for (const later of inOrder.slice(i))
      expect([match([first, later]), match([later, first])]).toEqual([first, first]);
  }
});

test('keys of different teams are a conflict, which names the keys that its secret can still revoke, or all if none is left', () => {
  fc.assert(
    fc.property(keys, ([list]) => {
      const found = match(list);
      expect(isConflict(found)).toBe(new Set(list.map(({ teamId }) => teamId)).size > 1);
      expect(found.revoked).toBe(list.some(({ revoked }) => revoked));
      if (!isConflict(found)) return;
      expect(found.conflictingIds).toEqual(list.map(({ id }) => id).sort());
      const current = list.filter(({ rotated }) => !rotated);
      const left = current.filter(({ revoked }) => !revoked);
      expect(found.currentIds).toEqual((left.length > 0 ? left : current).map(({ id }) => id).sort());
    }),
  );
});
