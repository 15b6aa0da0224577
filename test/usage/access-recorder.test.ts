/** Who has access to teams, in memory until it is written. */
import { expect, it } from 'vitest';
import { AccessRecorder, type RecordedAccess } from '../../src/usage/access-recorder.ts';

/** A recorder over a list, which fails as long as `fails` is true. */
function start() {
  const written: RecordedAccess[] = [];
  const errors: unknown[] = [];
  const state = { fails: false, onWrite: () => undefined as unknown };
  const recorder = new AccessRecorder(
    {
      addAccess: async (access) => {
        state.onWrite();
        if (state.fails) throw new Error('the store does not answer');
        written.push(...access);
      },
    },
    (error) => errors.push(error),
  );
  return { recorder, written, errors, state };
}

it('keeps what the store did not take, reports it, and writes it later', async () => {
  const { recorder, written, errors, state } = start();
  state.fails = true;
  recorder.recordUse('ada', ['a', 'b'], new Date(0));
  recorder.recordAll('bob', ['a'], new Date(0));
  await recorder.flush();
  expect([written.length, errors.length, recorder.waiting]).toEqual([0, 1, 2]);
  state.fails = false;
  await recorder.close();
  expect(written).toEqual([
    { subject: 'ada', teamIds: ['a', 'b'], at: new Date(0), isComplete: false },
    { subject: 'bob', teamIds: ['a'], at: new Date(0), isComplete: true },
  ]);
});

it('keeps what the provider said last, also if it said it while an earlier answer could not be written', async () => {
  const { recorder, written, state } = start();
  state.fails = true;
  recorder.recordAll('ada', ['a', 'b'], new Date(1));
  state.onWrite = () => recorder.recordAll('ada', ['a'], new Date(2));
  await recorder.flush();
  Object.assign(state, { fails: false, onWrite: () => undefined });
  await recorder.close();
  expect(written).toEqual([{ subject: 'ada', teamIds: ['a'], at: new Date(2), isComplete: true }]);
});

it('keeps at most 10,000 uses in memory, and records those that it left out with their next one', async () => {
  const { recorder, written } = start();
  for (let i = 0; i < 10_001; i += 1) recorder.recordUse(`person ${i}`, ['a'], new Date(0));
  expect(recorder.waiting).toBe(10_000);
  await recorder.flush();
  recorder.recordUse('person 10000', ['a'], new Date(1));
  recorder.recordUse('person 1', ['a'], new Date(1));
  await recorder.close();
  expect(written.length).toBe(10_001);
});
