// SECURITY.md: Hostile tenant; Hostile caller of the verification port
import { expect, it } from 'vitest';
import { type TurnOptions, Turns } from '../../src/admission/turns.ts';
import { systemScheduler } from '../../src/lib/scheduler.ts';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Requests as a port starts them: at once if they may, and else when their turn comes. */
function port(options: TurnOptions = { maxPerTurn: 128 }) {
  const turns = new Turns(options);
  const started: string[] = [];
  const arrive = (address: string, connection: string, name = `${address} ${connection}`) => {
    turns.run(address, connection, () => void started.push(name));
  };
  return { started, arrive };
}

it('starts 128 requests in one turn of the event loop, and the others in the next ones', async () => {
  const { started, arrive } = port();
  for (let i = 0; i < 400; i += 1) arrive('a', String(i));
  expect(started).toHaveLength(128);
  const counts: number[] = [];
  while (started.length < 400) {
    await nextTurn();
    counts.push(started.length);
  }
  expect(counts.filter((count, i) => count > (counts[i - 1] ?? 128))).toEqual([256, 384, 400]);
  // In their order, since no connection has two.
  expect(started).toEqual(Array.from({ length: 400 }, (_, i) => `a ${i}`));
  // Requests start at once again.
  await nextTurn();
  await nextTurn();
  arrive('a', 'later');
  expect(started).toHaveLength(401);
});

it('requests that arrive while others wait do not overtake them', async () => {
  const { started, arrive } = port();
  for (let i = 0; i < 258; i += 1) arrive('a', String(i));
  await nextTurn();
  arrive('a', 'late');
  expect(started).not.toContain('a late');
  await nextTurn();
  await nextTurn();
  expect(started.slice(256)).toEqual(['a 256', 'a 257', 'a late']);
});

it('a request of another address starts in the next turn, however many wait', async () => {
  const { started, arrive } = port();
  for (let i = 0; i < 1000; i += 1) arrive('flooding', String(i));
  arrive('other', 'one');
  await nextTurn();
  expect(started).toContain('other one');
  expect(started.length).toBeLessThan(400);
});

it('a request of another connection of the same address starts in the next turn, however many wait on one', async () => {
  const { started, arrive } = port();
  for (let i = 0; i < 1000; i += 1) arrive('proxy', 'busy', `busy ${i}`);
  arrive('proxy', 'quiet', 'quiet');
  await nextTurn();
  expect(started).toContain('quiet');
  expect(started.length).toBeLessThan(400);
});

it('a call starts after at most one waiting call of another holder, however many of these wait', async () => {
  const { started, arrive } = port({ maxPerTurn: 1 });
  for (let i = 0; i < 100; i += 1) arrive('noisy', String(i), 'noisy');
  arrive('quiet', 'quiet', 'quiet');
  while (!started.includes('quiet')) await nextTurn();
  expect(started).toEqual(['noisy', 'noisy', 'quiet']);
});

it.each([
  { flood: 'connections of its own address', flooder: (i: number) => ({ address: 'a', connection: String(i) }) },
  { flood: 'other addresses', flooder: (i: number) => ({ address: String(i), connection: 'one' }) },
])('a client that calls now and then is the first in the next turn, beside bursts from $flood', async ({ flooder }) => {
  const { started, arrive } = port({ maxPerTurn: 4 });
  const before: number[] = [];
  for (let burst = 1; burst <= 40; burst += 1) {
    for (let i = 0; i < 12; i += 1) {
      const { address, connection } = flooder(i);
      arrive(address, connection, 'flood');
    }
    const already = started.length;
    const calls = burst % 4 === 0;
    if (calls) arrive('a', 'quiet', 'quiet');
    // Nothing waits between the bursts.
    const all = burst * 12 + before.length + (calls ? 1 : 0);
    while (started.length < all) await nextTurn();
    if (calls) before.push(started.indexOf('quiet', already) - already);
  }
  expect(before).toEqual(Array(10).fill(0));
});

it('rests after a turn with starts, for a number of turns or a time, whichever ends first', async () => {
  let rest = { turns: 3, ms: 60_000 };
  const { started, arrive } = port({ maxPerTurn: 1, rest: () => rest, cpuMs: () => 0 });
  const turnsUntil = async (count: number) => {
    let turns = 0;
    for (; started.length < count; turns += 1) await nextTurn();
    return turns;
  };
  for (let i = 0; i < 4; i += 1) arrive('a', String(i));
  expect(await turnsUntil(1)).toBe(1);
  rest = { turns: 10, ms: 60_000 };
  expect(await turnsUntil(2)).toBe(4);
  // One that arrives during the rest waits as well.
  arrive('b', 'b');
  rest = { turns: 10, ms: 0 };
  expect(await turnsUntil(3)).toBe(11);
  expect(await turnsUntil(5)).toBeLessThanOrEqual(4);
  // Without a request that waits, there is no rest.
  rest = { turns: 10, ms: 60_000 };
  await nextTurn();
  arrive('c', 'c');
  await nextTurn();
  arrive('c', 'd');
  await nextTurn();
  expect(started).toHaveLength(7);
});

it('cheap calls that arrive together start in one turn, although each waits twice: by its address, then by its team', async () => {
  const turns = new Turns({
    maxPerTurn: 64,
    rest: () => ({ turns: 1000, ms: 60_000 }),
    scheduler: { ...systemScheduler, now: () => 0 },
    cpuMs: () => 0,
  });
  const started: number[] = [];
  for (let call = 0; call < 32; call += 1) {
    turns.run('address', String(call), async () => {
      // The session token is checked and the body is read.
      await undefined;
      turns.run(`team ${call}`, 'caller', () => void started.push(call));
    });
  }
  await nextTurn();
  await nextTurn();
  expect(started).toHaveLength(32);
});

it('a turn is not expensive because other processes use the CPU, and reads the CPU time once while starts are cheap', async () => {
  let clockMs = 0;
  let readings = 0;
  const cpuMs = () => {
    readings += 1;
    return 0;
  };
  const after = () => {
    throw new Error('there was a long rest');
  };
  const scheduler = { ...systemScheduler, now: () => clockMs, after };
  const turns = new Turns({ maxPerTurn: 8, rest: () => ({ turns: 0, ms: 0 }), scheduler, cpuMs });
  const turnsWith = async (clockMsPerStart: number) => {
    let started = 0;
    const start = () => {
      clockMs += clockMsPerStart;
      started += 1;
    };
    for (let i = 0; i < 16; i += 1) turns.run('a', String(i), start);
    const counts: number[] = [];
    while (started < 16) {
      const before = started;
      await nextTurn();
      if (started > before) counts.push(started - before);
    }
    // The turn may still rest.
    await nextTurn();
    return counts;
  };
  expect(await turnsWith(0.5)).toEqual([8, 8]);
  expect(readings).toBe(2);
  expect(await turnsWith(50)).toEqual([8, 8]);
});

it.each([
  { workMs: 0.25, perTurn: 8 },
  { workMs: 1, perTurn: 5 },
  { workMs: 3, perTurn: 2 },
  { workMs: 7, perTurn: 1 },
  { workMs: 12, perTurn: 1 },
  { workMs: 150, perTurn: 1 },
])(
  'starts that use the CPU for $workMs ms: $perTurn in a turn, and a rest as long as a turn of more than 10 ms',
  async (example) => {
    const { workMs, perTurn } = example;
    let cpuMs = 0;
    let restedMs = 0;
    const now = () => cpuMs + restedMs;
    const after = (ms: number, callback: () => void) => {
      restedMs += ms;
      const turn = setImmediate(callback);
      return () => clearImmediate(turn);
    };
    const turns = new Turns({
      maxPerTurn: 8,
      rest: () => ({ turns: 0, ms: 0 }),
      scheduler: { ...systemScheduler, now, after },
      cpuMs: () => cpuMs,
    });
    /** The times at which the starts of each turn began. */
    const begun: number[][] = [];
    let endedAt = -1;
    for (let i = 0; i < 40; i += 1) {
      turns.run('a', String(i), async () => {
        // The work of a call, too, begins after its start has returned.
        await undefined;
        if (now() > endedAt) begun.push([]);
        begun.at(-1)?.push(now());
        cpuMs += workMs;
        endedAt = now();
      });
    }
    while (begun.flat().length < 40) {
      await nextTurn();
      restedMs += 0.125;
    }
    expect(begun.map(({ length }) => length)).toEqual(Array(40 / perTurn).fill(perTurn));
    for (const [i, [first = Number.NaN]] of begun.slice(1).entries()) {
      const before = begun[i]?.[0] ?? Number.NaN;
      const workedMs = perTurn * workMs;
      expect(first - before).toBeGreaterThanOrEqual(workedMs + (workedMs > 10 ? Math.min(workedMs, 100) : 0));
    }
  },
);
