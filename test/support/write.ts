import { Decision, type Load, type Write } from '../../src/store/changes/change.ts';
import type { Store } from '../../src/store/store.ts';

/** For a change that decides on nothing. It has a transaction of its own. */
export const nothing: Load<null> = { read: async () => null };

/** Writes what no decision depends on. Returns the first revision. */
export async function write(store: Pick<Store, 'changes'>, written: Write): Promise<bigint> {
  const decide = (_: null, revision: bigint) => new Decision(revision, written);
  return await store.changes.submit({ queueKey: 'the test', load: nothing, decide });
}
