// SECURITY.md: Hostile tenant
import { expect, it } from 'vitest';
import { Slots } from '../../src/admission/slots.ts';

/** Waits for slots, records the names of what starts, and returns what ends it and what gives it up. */
function waiting(slots: Slots, maxSlots: number) {
  const started: string[] = [];
  const wait = (holder: string, name: string, weight = 1) => {
    let release = (): void => undefined;
    const start = (done: () => void) => {
      started.push(name);
      release = done;
    };
    const giveUp = slots.wait({ holder, maxSlots }, start, weight);
    return { release: () => release(), giveUp };
  };
  return { started, wait };
}

it('what runs of one holder weighs at most its share, and the rest starts in its order', () => {
  const { started, wait } = waiting(new Slots(), 10);
  const { release } = wait('team', 'first', 6);
  wait('team', 'second', 4);
  wait('team', 'third', 4);
  wait('team', 'fourth', 1);
  wait('other', 'of another team', 10);
  expect(started).toEqual(['first', 'second', 'of another team']);
  release();
  release();
  expect(started.slice(3)).toEqual(['third', 'fourth']);
});

it('a weight above the share runs alone', () => {
  const { started, wait } = waiting(new Slots(), 10);
  const { release } = wait('team', 'large', 20);
  wait('team', 'small');
  expect(started).toEqual(['large']);
  release();
  expect(started).toEqual(['large', 'small']);
});

it('after weights that are fractions have ended, nothing is left that keeps a large weight from starting', () => {
  const { started, wait } = waiting(new Slots(), 1000);
  for (let round = 1; round <= 1000; round += 1) {
    const held = [95.041, 7.003, 0.017, 31.9].map((weight) => wait('team', 'small', weight + round / 1000));
    for (const { release } of held) release();
  }
  wait('team', 'large', 1000);
  expect(started.at(-1)).toBe('large');
});

it('holders take turns for a free slot, and one with a full share leaves it to others', () => {
  const { started, wait } = waiting(new Slots(3), 2);
  const [first, second] = ['a1', 'a2', 'a3', 'a4'].map((name) => wait('a', name));
  const third = wait('b', 'b1');
  wait('b', 'b2');
  wait('c', 'c1');
  expect(started).toEqual(['a1', 'a2', 'b1']);
  for (const done of [third, first, second]) done?.release();
  expect(started.slice(3)).toEqual(['b2', 'c1', 'a3']);
});

it('what gives up never starts, and lets what waits behind it start', () => {
  const slots = new Slots(1);
  const { started, wait } = waiting(slots, 2);
  const running = wait('team', 'running');
  const queued = wait('team', 'queued');
  const behind = wait('team', 'behind the share', 2);
  wait('team', 'last');
  expect([slots.waiting, slots.waitingForShare('team')]).toEqual([3, 2]);
  behind.giveUp();
  queued.giveUp();
  // What runs, and what gave up before, counts on.
  for (const { giveUp } of [running, queued, behind]) giveUp();
  expect([started, slots.waiting, slots.waitingForShare('team')]).toEqual([['running'], 1, 0]);
  running.release();
  expect([started, slots.waiting, slots.isFull]).toEqual([['running', 'last'], 0, true]);
});

it('slots that are taken at once count against each share, and come back once', () => {
  const slots = new Slots(2);
  const share = (holder: string) => ({ holder, maxSlots: 1 });
  const first = slots.take([share('a'), share('b')]);
  expect(slots.take([share('c'), share('b')])).toEqual({ outcome: 'share used' });
  slots.take([share('c')]);
  expect(slots.take([share('d')])).toEqual({ outcome: 'full' });
  for (let i = 0; i < 2; i += 1) if (first.outcome === 'taken') first.release();
  expect(slots.take([share('b')]).outcome).toBe('taken');
  expect(slots.take([share('a')])).toEqual({ outcome: 'full' });
});

it('work that fails releases its slot', async () => {
  const slots = new Slots(1);
  const share = { holder: 'a', maxSlots: 1 };
  const failing = slots.run(share, () => Promise.reject(new Error('broken')));
  const next = slots.run(share, async () => 'done');
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('done');
  expect(slots.isFull).toBe(false);
});
