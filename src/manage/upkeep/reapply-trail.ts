import type { StoredKey } from '../../domain/key/api-key.ts';
import { type Change, Decision } from '../../store/changes/change.ts';
import { keyWithId } from '../../store/changes/key-state.ts';
import type { Store } from '../../store/store.ts';
import { inBatches } from '../change/in-batches.ts';
import { type Caller, operatorCaller } from '../management.ts';
import { type ComparedEntry, type Ending, LostChanges, type TrailEntry, type Undone } from './lost-changes.ts';

export interface TrailInput extends Pick<Caller, 'requestId' | 'now'> {
  /** In any order; entries that the database has are compared only. */
  readonly trail: AsyncIterable<TrailEntry>;
  readonly dryRun: boolean;
}

export interface UndoneKey {
  readonly key: StoredKey;
  readonly undone: readonly Undone[];
}

export interface ReappliedTrail {
  /** The number of entries about keys that the trail has. */
  readonly read: number;
  /** The number of entries of the trail that the database lacks, and the times of the first and the last of them. */
  readonly lost: number;
  readonly from: Date | null;
  readonly to: Date | null;
  /** The ids of the keys that were changed. In a dry run, those that would be. */
  readonly changed: Readonly<Record<Ending, readonly string[]>>;
  /** Keys that accept again what was replaced or restricted, on which only an operator can decide. */
  readonly undecided: readonly UndoneKey[];
  /** The number of keys that the database does not have, because they were created after the backup, or purged. */
  readonly unknown: number;
}

const batchSize = 200;

/**
 * Applies again, to a database that was restored from a backup, what ended keys after the backup: revocations, disabling
 * and ends of overlaps. Only for an operator, who vouches for the trail. Services may run. Throws UNAVAILABLE; what was
 * applied before stays, and the same call can be repeated.
 */
export async function reapplyTrail({ store }: { readonly store: Store }, input: TrailInput): Promise<ReappliedTrail> {
  const caller = operatorCaller(input);
  const keys = new Map<string, LostChanges>();
  let [read, lost] = [0, 0];
  let from: Date | null = null;
  let to: Date | null = null;
  for await (const entry of compared(store, input.trail)) {
    read += 1;
    if (entry.isLost) {
      lost += 1;
      from = extreme(Math.min, from, entry.at);
      to = extreme(Math.max, to, entry.at);
    }
    const changes = keys.get(entry.keyId) ?? new LostChanges();
    changes.add(entry);
    keys.set(entry.keyId, changes);
  }
  const affected = [...keys].filter(([, changes]) => changes.hasLost);
  const endings = affected.flatMap(([keyId, changes]) =>
    changes.endings(caller).map(({ ending, decide }) => ({
      keyId,
      ending,
      change: existing(keyId, (key, revision) => (key === null ? new Decision(false) : decide(key, revision))),
    })),
  );
  const apply = (changes: readonly Change<boolean, StoredKey | null>[]) =>
    input.dryRun ? store.changes.preview(changes) : Promise.all(changes.map((change) => store.changes.submit(change)));
  const isChanged = await inBatches(endings, (batch) => apply(batch.map(({ change }) => change)));
  const changedBy = (ending: Ending) =>
    endings.filter((one, i) => one.ending === ending && isChanged[i]).map(({ keyId }) => keyId);
  const found = await inBatches(affected, async (batch) => {
    const states = await store.changes.preview(batch.map(([keyId]) => existing(keyId, (key) => new Decision(key))));
    return batch.map(([, changes], i) => ({ changes, key: states[i] ?? null }));
  });
  const undecided = found.flatMap(({ key, changes }) => (key === null ? [] : [{ key, undone: changes.undone(key) }]));
  return {
    ...{ read, lost, from, to },
    changed: {
      revoked: changedBy('revoked'),
      disabled: changedBy('disabled'),
      overlapEnded: changedBy('overlapEnded'),
    },
    undecided: undecided.filter(({ undone }) => undone.length > 0),
    unknown: found.filter(({ key }) => key === null).length,
  };
}

function existing<Answer>(
  keyId: string,
  decide: Change<Answer, StoredKey | null>['decide'],
): Change<Answer, StoredKey | null> {
  return { queueKey: 'operator', load: keyWithId(keyId), decide };
}

/** After a restore, the revisions of the lost entries are used again. So an entry is the same only if its call is too. */
async function* compared(store: Store, trail: AsyncIterable<TrailEntry>): AsyncGenerator<ComparedEntry> {
  for await (const batch of batchesOf(trail)) {
    const stored = await store.auditLog.find(batch.map(({ revision }) => revision));
    const known = new Set(stored.map(identityOf));
    for (const entry of batch) yield { ...entry, isLost: !known.has(identityOf(entry)) };
  }
}

function identityOf({ revision, action, keyId, requestId }: Omit<TrailEntry, 'at' | 'changes'>): string {
  return [revision, action, keyId, requestId].join(' ');
}

async function* batchesOf<T>(items: AsyncIterable<T>): AsyncGenerator<readonly T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function extreme(choose: (a: number, b: number) => number, soFar: Date | null, next: Date): Date {
  return soFar === null ? next : new Date(choose(soFar.getTime(), next.getTime()));
}
