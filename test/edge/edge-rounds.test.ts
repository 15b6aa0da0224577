import { expect, it } from 'vitest';
import { EdgeRounds } from '../../src/service/compose/edge-rounds.ts';

it('a verification within a lease counts as a lookup that found its key in the cache', () => {
  const rounds = new EdgeRounds();
  rounds.leased(performance.now(), 1);
  rounds.lookedUp(false);
  expect(rounds.readings).toMatchObject({ leased: 1, hits: 1, misses: 1 });
});
