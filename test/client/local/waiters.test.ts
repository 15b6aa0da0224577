/** The timeout of verifications that wait for an answer. */
import { expect, it } from 'vitest';
import { type Waiter, Waiters } from '../../../src/client/local/waiters.ts';

it('each verification fails at its own timeout, in whatever order they wait', async () => {
  const failed: string[] = [];
  const now = performance.now();
  const waiter = (name: string, arrivedAt: number): Waiter => ({
    secret: name,
    presented: name,
    isOurs: true,
    arrivedAt,
    decide: () => expect.fail('there is no answer'),
    fail: (error) => {
      expect(String(error)).toContain('There is no verdict: it took longer than 1000 ms');
      failed.push(name);
    },
  });
  const waiters = new Waiters(1000, () => performance.now());
  waiters.add(waiter('first', now - 950));
  // For its key there is no space in the question, which is for the others.
  waiters.add(waiter('second', now - 800));
  waiters.add(waiter('last', now));
  waiters.ask(({ secret }) => secret !== 'second');
  await expect.poll(() => failed.length, { interval: 5, timeout: 5000 }).toBe(2);
  expect(failed).toEqual(['first', 'second']);
  await expect.poll(() => failed.length, { interval: 5, timeout: 5000 }).toBe(3);
});
