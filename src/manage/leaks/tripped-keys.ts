import { type Change, Decision, type NewEntry } from '../../store/changes/change.ts';
import { type TrippedKey, trippedKey } from '../../store/rows/tripped-keys.ts';
import type { Store } from '../../store/store.ts';
import type { Trip } from '../../wire/control-plane.ts';
import { entryBy, systemCaller } from '../management.ts';

/** At most one event a minute for each key, whichever processes report it. */
const intervalMs = 60_000;

/** Tells the teams of tripwires that were presented. A client with a feed token can report any key, so others are ignored. */
export async function recordTrips(store: Pick<Store, 'changes'>, trips: readonly Trip[]): Promise<void> {
  for (const { keyId, source, at } of trips) {
    const change: Change<void, TrippedKey | null> = {
      queueKey: 'presented tripwires',
      load: trippedKey(keyId),
      decide: (key) => {
        const isRecent = key?.trippedAt != null && at.getTime() - key.trippedAt.getTime() < intervalMs;
        if (key === null || isRecent) return new Decision(undefined);
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
    await store.changes.submit(change);
  }
}
