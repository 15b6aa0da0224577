import { expect, it } from 'vitest';
import { RevocationQueue } from '../../src/gateway/self-revocation.ts';

/** A queue whose revocations end when the test says so. */
function heldQueue() {
  const queue = new RevocationQueue();
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (source: string | null, name: string) =>
    queue.run(source, async () => {
      started.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      return name;
    });
  return { run, started, end: (name: string) => ends.get(name)?.() };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

it('sources with waiting revocations take turns, and one that comes later waits for no more than one of each', async () => {
  const { run, started, end } = heldQueue();
  const all = ['a', 'b'].flatMap((source) => [1, 2, 3, 4, 5, 6].map((i) => run(source, `${source}${i}`)));
  all.push(run('c', 'c1'));
  await settled();
  expect(started).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3', 'b4']);
  for (const name of ['a1', 'a2', 'b1']) {
    end(name);
    await settled();
  }
  expect(started.slice(8)).toEqual(['c1', 'a5', 'b5']);
  for (let i = 0; i < all.length; i += 1) {
    for (const name of started) end(name);
    await settled();
  }
  expect(await Promise.all(all)).toHaveLength(13);
});

it('rejects revocations of a source above its limit with UNAVAILABLE, and serves those of others', async () => {
  const { run, started, end } = heldQueue();
  const all = Array.from({ length: 68 }, (_, i) => run('flooding', `f${i}`));
  await expect(run('flooding', 'one more')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  const other = run('other', 'other');
  await settled();
  expect(started).toContain('other');
  end('other');
  expect(await other).toBe('other');
  for (let i = 0; i < 68; i += 1) {
    for (const name of started) end(name);
    await settled();
  }
  expect(await Promise.all(all)).toHaveLength(68);
});

it('rejects revocations above the limit of all sources with UNAVAILABLE, and recovers', async () => {
  const { run, started, end } = heldQueue();
  const all = Array.from({ length: 520 }, (_, i) => run(`source ${i}`, `r${i}`));
  await expect(run('late', 'late')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  for (let i = 0; i < 520; i += 1) {
    for (const name of started) end(name);
    await settled();
  }
  expect(await Promise.all(all)).toHaveLength(520);
  const next = run('late', 'late');
  await settled();
  end('late');
  expect(await next).toBe('late');
});
