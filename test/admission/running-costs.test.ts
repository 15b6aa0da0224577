import { expect, it } from 'vitest';
import { RunningCosts } from '../../src/admission/running-costs.ts';

/** Enters an operation, records its name when it starts, and returns what ends it and what drops it. */
function turns(maxCost: number) {
  const running = new RunningCosts(maxCost);
  const started: string[] = [];
  const enter = (holder: string, cost: number, name: string) => {
    let end = (): void => undefined;
    const drop = running.enter(holder, cost, (leave) => {
      started.push(name);
      end = leave;
    });
    return { leave: () => end(), drop };
  };
  return { started, enter };
}

it('the operations of one holder that run cost at most the limit together, and others start in their order', () => {
  const { started, enter } = turns(10);
  const { leave } = enter('team', 6, 'first');
  enter('team', 4, 'second');
  enter('team', 4, 'third');
  enter('team', 1, 'fourth');
  expect(started).toEqual(['first', 'second']);
  leave();
  leave();
  expect(started).toEqual(['first', 'second', 'third', 'fourth']);
});

it('an operation above the limit runs alone', () => {
  const { started, enter } = turns(10);
  const { leave } = enter('team', 20, 'large');
  enter('team', 1, 'small');
  expect(started).toEqual(['large']);
  leave();
  expect(started).toEqual(['large', 'small']);
});
