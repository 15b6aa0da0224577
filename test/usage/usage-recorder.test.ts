/** Counters of use in memory: what is written, what is kept, and what is dropped. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { UsageRecorder } from '../../src/usage/usage-recorder.ts';
import type { UsageRecord } from '../../src/wire/control-plane.ts';

const hourMs = 3_600_000;
const key = (id: string) => ({ id, teamId: 'team', presentedVersion: 1 });

/** A recorder over a list, which fails as long as `fails` is true. */
function start(report: (error: unknown) => void = () => undefined) {
  const written: UsageRecord[] = [];
  const state = { fails: true };
  const addUsage = async (records: readonly UsageRecord[]) => {
    await new Promise((answered) => setImmediate(() => setImmediate(answered)));
    if (state.fails) throw new Error('the store does not answer');
    for (const record of records) written.push(record);
  };
  return { recorder: new UsageRecorder({ addUsage }, report), written, state };
}

describe('a recorder of usage', () => {
  it('keeps as many counters as it has when they can not be written, and writes them later', async () => {
    const { recorder, written, state } = start();
    for (let i = 0; i < 200_010; i += 1) recorder.record(key(`key ${i}`), 'VALID', hourMs);
    await recorder.flush();
    expect([recorder.waiting, recorder.dropped, recorder.failures]).toEqual([200_000, 10, 1]);
    state.fails = false;
    await recorder.close();
    expect([written.length, recorder.waiting]).toEqual([200_000, 0]);
  });

  it('keeps no more labels of one secret apart than are stored, however often writing fails, and counts all uses', async () => {
    const { recorder, written, state } = start();
    const use = (from: number) => {
      for (let i = from; i < from + 1000; i += 1) recorder.record({ ...key('a'), label: `job ${i}` }, 'VALID', hourMs);
    };
    for (let i = 0; i < 3; i += 1) {
      use(2000 * i);
      const failed = recorder.flush();
      // Begins in a later turn.
      await new Promise(setImmediate);
      use(2000 * i + 1000);
      await failed;
      expect(recorder.waiting).toBe(101);
    }
    state.fails = false;
    await recorder.flush();
    expect(new Set(written.map(({ label }) => label)).size).toBe(101);
    expect(written.map(({ label }) => label)).toContain('');
    recorder.record({ ...key('a'), label: 'another' }, 'VALID', hourMs);
    await recorder.close();
    expect(written.at(-1)?.label).toBe('another');
    const total = written.flatMap(({ counts }) => counts).reduce((sum, { count }) => sum + count, 0);
    expect([total, recorder.dropped]).toEqual([6001, 0]);
  });

  it('keeps one counter for each secret and hour, however often writing fails', async () => {
    const { recorder, written, state } = start();
    for (let i = 0; i < 5; i += 1) {
      const failed = recorder.flush();
      recorder.record(key('a'), 'VALID', hourMs + i);
      recorder.record(key('a'), 'EXPIRED', hourMs + 10);
      recorder.record({ ...key('a'), presentedVersion: 2 }, 'VALID', hourMs);
      await failed;
      recorder.record(key('a'), 'VALID', 2 * hourMs + i);
      await recorder.flush();
      expect(recorder.waiting).toBe(3);
    }
    state.fails = false;
    await recorder.close();
    const records = written.map(({ version, hour, lastUsedAt, counts }) => [
      version,
      +hour,
      Number(lastUsedAt),
      counts,
    ]);
    const valid = { code: 'VALID', count: 5 };
    expect(records).toHaveLength(3);
    expect(records).toEqual(
      expect.arrayContaining([
        [1, hourMs, hourMs + 4, [{ code: 'EXPIRED', count: 5 }, valid]],
        [1, 2 * hourMs, 2 * hourMs + 4, [valid]],
        [2, hourMs, hourMs, [valid]],
      ]),
    );
    expect(recorder.dropped).toBe(0);
  });

  it('keeps its counters and writes them later, also when its report of the failure fails', async () => {
    const { recorder, written, state } = start(() => {
      throw new Error('the log is gone');
    });
    recorder.record(key('a'), 'VALID', hourMs);
    await expect(recorder.flush()).rejects.toThrow('the log is gone');
    expect(recorder.waiting).toBe(1);
    state.fails = false;
    await recorder.close();
    expect(written).toMatchObject([{ keyId: 'a', counts: [{ code: 'VALID', count: 1 }] }]);
  });

  it('writes at most a tenth of the time, also what it counts during a long write', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const started: number[] = [];
    const addUsage = async () => {
      started.push(performance.now());
      await new Promise((resolve) => setTimeout(resolve, 5000));
    };
    const recorder = new UsageRecorder({ addUsage }, (error) => expect.fail(String(error)));
    const begin = performance.now();
    recorder.record(key('a'), 'VALID', hourMs);
    await vi.advanceTimersByTimeAsync(3000);
    recorder.record(key('b'), 'VALID', hourMs);
    // The end of a write waits for a turn of the event loop, whose timers are real.
    for (let i = 0; i < 100; i += 1) {
      await vi.advanceTimersByTimeAsync(1000);
      await new Promise(setImmediate);
    }
    expect(started.map((at) => at - begin)).toEqual([1000, 51_000]);
  });
});
