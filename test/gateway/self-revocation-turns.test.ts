// SECURITY.md: Hostile caller of the verification port
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { SelfRevocation } from '../../src/gateway/self-revocation.ts';
import type { HolderCall } from '../../src/wire/control-plane.ts';

const revision = 'pEBlwU0dVvV0sUuyJ1nJ7g';

/** Revocations, of one key each, that end when the test says so. */
function heldQueue() {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const revocation = new SelfRevocation(async (keyId) => {
    started.push(keyId);
    await new Promise<void>((resolve) => ends.set(keyId, resolve));
    return revision;
  });
  const call: HolderCall = { source: null, requestId: randomUUID(), now: new Date() };
  const run = (source: string | null, name: string) => revocation.revoke(name, source, call);
  return { run, started, end: (name: string) => ends.get(name)?.() };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Ends all revocations, also those that start meanwhile. */
async function drain({ started, end }: ReturnType<typeof heldQueue>, count: number) {
  for (let i = 0; i < count; i += 1) {
    for (const name of started) end(name);
    await settled();
  }
}

it('sources with waiting revocations take turns, and one that comes later waits for no more than one of each', async () => {
  const queue = heldQueue();
  const { run, started, end } = queue;
  const all = ['a', 'b'].flatMap((source) => [1, 2, 3, 4, 5, 6].map((i) => run(source, `${source}${i}`)));
  all.push(run('c', 'c1'));
  await settled();
  expect(started).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3', 'b4']);
  for (const name of ['a1', 'a2', 'b1']) {
    end(name);
    await settled();
  }
  expect(started.slice(8)).toEqual(['c1', 'a5', 'b5']);
  await drain(queue, all.length);
  expect(await Promise.all(all)).toHaveLength(13);
});

it.each([
  ['of a source', 68, () => 'flooding', 'flooding'],
  ['of all sources', 520, (i: number) => `source ${i}`, 'late'],
])('rejects revocations above the limit %s with UNAVAILABLE, and recovers', async (_, count, sourceOf, next) => {
  const queue = heldQueue();
  const all = Array.from({ length: count }, (_, i) => queue.run(sourceOf(i), `r${i}`));
  if (next === 'flooding') all.push(queue.run('other', 'other'));
  await expect(queue.run(next, 'one more')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await settled();
  expect(queue.started.includes('other')).toBe(next === 'flooding');
  await drain(queue, count);
  expect(await Promise.all(all)).toHaveLength(all.length);
  const last = queue.run(next, 'one more');
  await settled();
  await drain(queue, 1);
  expect(await last).toBe(revision);
});
