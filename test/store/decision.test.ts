import { expectTypeOf, it } from 'vitest';
import { type Change, Decision } from '../../src/store/changes/change.ts';

// The compiler checks these tests (`npm run lint`).

it('a decision whose entries would not be written does not compile', () => {
  const misplaced = () => ({ answer: null, entries: [] });
  expectTypeOf(misplaced).not.toExtend<Change<null>['decide']>();
  // @ts-expect-error: a member that a write does not have
  const misspelled: Change<null>['decide'] = () => new Decision(null, { rows: [], entry: [] });
  expectTypeOf(misspelled).toEqualTypeOf<Change<null>['decide']>();
});

it('a decision that is spread, which loses its write, does not compile', () => {
  const written = new Decision(null, { entries: [] });
  expectTypeOf({ ...written, answer: true }).not.toExtend<Decision<boolean>>();
});
