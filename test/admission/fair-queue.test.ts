import { describe, expect, it } from 'vitest';
import { FairQueue } from '../../src/admission/fair-queue.ts';

function drain(queue: FairQueue<string>): string[] {
  const items: string[] = [];
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) items.push(item);
  return items;
}

describe('a fair queue', () => {
  it('serves a holder with one item after at most one item of each other holder', () => {
    const queue = new FairQueue<string>();
    for (let i = 1; i <= 3; i += 1) queue.push('noisy', `noisy ${i}`);
    queue.push('quiet', 'quiet 1');
    queue.push('other', 'other 1');
    queue.push('other', 'other 2');
    expect(drain(queue)).toEqual(['noisy 1', 'quiet 1', 'other 1', 'noisy 2', 'other 2', 'noisy 3']);
  });

  it('gives no holder a second turn for items that it adds after its turn', () => {
    const queue = new FairQueue<string>();
    queue.push('noisy', 'noisy 1');
    queue.push('noisy', 'noisy 2');
    queue.push('quiet', 'quiet 1');
    expect(queue.shift()).toBe('noisy 1');
    queue.push('noisy', 'noisy 3');
    expect(drain(queue)).toEqual(['quiet 1', 'noisy 2', 'noisy 3']);
  });

  it('serves an item that is put back before the others of its holder', () => {
    const queue = new FairQueue<string>();
    for (const item of ['a 1', 'a 2', 'a 3']) queue.push('a', item);
    const [first, second] = [queue.shift(), queue.shift()];
    queue.push('b', 'b 1');
    for (const item of [second, first]) if (item !== undefined) queue.unshift('a', item);
    expect(queue.length).toBe(4);
    expect(drain(queue)).toEqual(['b 1', 'a 1', 'a 2', 'a 3']);
    queue.unshift('c', 'c 1');
    expect(drain(queue)).toEqual(['c 1']);
  });

  it('skips removed items and counts what waits', () => {
    const queue = new FairQueue<string>();
    queue.push('a', 'a 1');
    queue.push('a', 'a 2');
    queue.push('b', 'b 1');
    expect(queue.remove('a', 'a 1')).toBe(true);
    expect(queue.remove('a', 'a 1')).toBe(false);
    expect(queue.remove('b', 'b 1')).toBe(true);
    expect(queue.length).toBe(1);
    expect(drain(queue)).toEqual(['a 2']);
    expect(queue.length).toBe(0);
  });

  it('serves a holder that adds an item now and then before those that always have one waiting', () => {
    const queue = new FairQueue<string>();
    for (const holder of ['a', 'b', 'c', 'd']) queue.push(holder, holder);
    const served: (string | undefined)[] = [];
    // Each of them adds its next item as soon as it was served.
    const serve = () => {
      const item = queue.shift();
      served.push(item);
      if (item !== undefined && item !== 'quiet') queue.push(item, item);
    };
    for (let i = 0; i < 6; i += 1) serve();
    for (let visit = 0; visit < 3; visit += 1) {
      queue.push('quiet', 'quiet');
      serve();
      expect(served.at(-1)).toBe('quiet');
      // A round of the others.
      for (let i = 0; i < 5; i += 1) serve();
    }
    expect(served.filter((item) => item !== 'quiet').join('')).toBe('abcdabcdabcdabcdabcda');
  });

  it('serves holders that had a turn a short time ago behind the others, but at least once in eight turns', () => {
    const queue = new FairQueue<string>();
    for (const holder of ['a', 'b']) queue.push(holder, holder, true);
    for (let i = 0; i < 20; i += 1) queue.push(`new ${i}`, 'new');
    const served = drain(queue);
    expect([served.indexOf('a'), served.indexOf('b')]).toEqual([7, 15]);
    queue.push('a', 'a', true);
    queue.push('new', 'new');
    expect(drain(queue)).toEqual(['new', 'a']);
  });

  it('gives a turn to those that wait, however many new holders come', () => {
    const queue = new FairQueue<string>();
    queue.push('old', 'old 1');
    queue.push('old', 'old 2');
    queue.shift();
    for (let i = 0; i < 100; i += 1) queue.push(`new ${i}`, 'new');
    let before = 0;
    while (queue.shift() !== 'old 2') before += 1;
    expect(before).toBeLessThan(10);
  });
});
