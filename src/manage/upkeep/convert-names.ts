import type { StoredKey } from '../../domain/key/api-key.ts';
import { pause, systemScheduler } from '../../lib/scheduler.ts';
import { Decision } from '../../store/changes/change.ts';
import { keyWithId } from '../../store/changes/key-state.ts';
import type { ChangedKey } from '../../store/rows/keys.ts';
import type { Store } from '../../store/store.ts';

const batchSize = 100;
/** How long a key that an instance of version 0.1 changes is in the wrong place of lists by name, during an upgrade. */
const intervalMs = 30_000;

/**
 * Lets this version write the names that version 0.1 wrote for sorting and searching, in batches between other changes.
 * Looks at the keys whose revision is later than the given one. Returns the revision up to which no key has an old name:
 * a key that an old instance changes gets a later one. Throws UNAVAILABLE, possibly after converting some names.
 */
export async function convertNames(store: Store, from = 0n, isStopped = () => false): Promise<bigint> {
  for (let revision = from; ; ) {
    const startedAt = performance.now();
    const keys = await store.keys.changedSince(revision, batchSize);
    await Promise.all(keys.filter(({ hasOldName }) => hasOldName).map((key) => convertName(store, key)));
    revision = keys.at(-1)?.revision ?? revision;
    if (keys.length < batchSize || isStopped()) return revision;
    // Pauses as long as the batch took, because SQLite does not queue writers and the services need to write too.
    await pause(systemScheduler, performance.now() - startedAt);
  }
}

/** Writes a key as it is, if it has not been changed since it was read: an instance of this version converts it too. */
async function convertName({ changes }: Store, { id, revision }: ChangedKey): Promise<void> {
  await changes.submit<void, StoredKey | null>({
    queueKey: 'the upkeep',
    load: keyWithId(id),
    decide: (key) => new Decision(undefined, key?.revision === revision ? { key } : undefined),
  });
}

/** Converts names after the start, and those that instances of version 0.1 write later. Returns what stops this. */
export function startConvertingNames(store: Store, report: (error: unknown, what: string) => void) {
  let converted = 0n;
  let isStopped = false;
  let running: Promise<void> | null = null;
  const convert = async () => {
    try {
      converted = await convertNames(store, converted, () => isStopped);
    } catch (error) {
      report(error, 'names could not be converted for sorting; retrying later');
    }
    running = null;
  };
  const start = () => {
    running ??= convert();
  };
  start();
  const timer = setInterval(start, intervalMs);
  timer.unref();
  return async () => {
    isStopped = true;
    clearInterval(timer);
    await running;
  };
}
