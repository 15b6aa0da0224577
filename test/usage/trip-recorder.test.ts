/** What is reported of presented tripwires. */
import { expect, it } from 'vitest';
import { TripRecorder } from '../../src/usage/trip-recorder.ts';
import type { Trip } from '../../src/wire/control-plane.ts';

const key = { id: 'laid', tripwire: true, revoked: false, disabled: false };

it('a tripwire is reported once a minute, and again after the clock was set back', async () => {
  const trips: Trip[] = [];
  const addTrips = async (chunk: readonly Trip[]) => void trips.push(...chunk);
  const recorder = new TripRecorder({ addTrips }, () => undefined);
  const hourMs = 3_600_000;
  for (const at of [hourMs, hourMs + 59_000, hourMs + 60_000, 0, 59_000, 60_000]) {
    recorder.record(key, undefined, at);
    await recorder.flush();
  }
  expect(trips.map(({ at }) => at.getTime())).toEqual([hourMs, hourMs + 60_000, 0, 60_000]);
});
