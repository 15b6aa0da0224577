import { systemScheduler } from '../../lib/scheduler.ts';
import { WindowCounts } from '../../lib/window-counts.ts';
import { type Change, Decision, type NewEntry } from '../../store/changes/change.ts';
import { type TrippedKey, trippedKey } from '../../store/rows/tripped-keys.ts';
import type { Store } from '../../store/store.ts';
import type { ControlPlane, Trip } from '../../wire/control-plane.ts';
import { entryBy, systemCaller } from '../management.ts';

/** At most one event a minute for each key, whichever processes report it. */
const intervalMs = 60_000;
/** What anyone can cause to be stored, by presenting tripwires. */
const perTeam = { limit: 100, windowSeconds: 60 } as const;

/**
 * Returns a function that tells the teams of tripwires that were presented. A client with a feed token can report any key,
 * so others are ignored.
 */
export function trippedKeys(store: Pick<Store, 'changes' | 'keys'>): ControlPlane['addTrips'] {
  const counts = new WindowCounts(perTeam);
  return async (trips) => {
    const keys = await store.keys.reported(trips.map(({ keyId }) => keyId));
    const changes = trips.flatMap((trip) => {
      const teamId = keys.get(trip.keyId)?.teamId;
      return teamId === undefined ? [] : [store.changes.submit(eventOf(trip, teamId, counts))];
    });
    await Promise.all(changes);
  };
}

function eventOf({ keyId, source, at }: Trip, queueKey: string, counts: WindowCounts): Change<void, TrippedKey | null> {
  return {
    queueKey,
    load: trippedKey(keyId),
    decide: (key) => {
      const sinceLast = key?.trippedAt == null ? Number.POSITIVE_INFINITY : at.getTime() - key.trippedAt.getTime();
      // The clock of another instance can be ahead.
      const isRecent = sinceLast >= 0 && sinceLast < intervalMs;
      if (key === null || isRecent || counts.take(key.teamId, systemScheduler.now()) !== null) {
        return new Decision(undefined);
      }
      const entry: NewEntry = {
        ...entryBy({ ...systemCaller(at), source }),
        action: 'KEY_TRIPPED',
        keyId,
        teamId: key.teamId,
        changes: [],
        details: null,
      };
      return new Decision(undefined, { entries: [entry] });
    },
  };
}
