/** Reads the keys that a change is about, as they are now. */
import { execute } from '../../api/execute.ts';
import type { KeyFilter } from '../../generated/graphql.ts';
import { listedKey, matchingKeys } from '../operations.ts';
import { readPages } from '../read-pages.ts';
import type { Key } from './change.ts';
import { runForEach } from './run-changes.ts';

/** Some keys, or all that match a filter. */
export type Target = { readonly ids: readonly string[] } | { readonly teamId: string; readonly filter: KeyFilter };

export async function readTargets(target: Target, signal: AbortSignal): Promise<Key[]> {
  if ('filter' in target) {
    return await readPages(async (after) => {
      const variables = { teamId: target.teamId, filter: target.filter, first: 200, after };
      return (await execute(matchingKeys, variables, signal)).keys;
    });
  }
  const found = new Map<string, Key>();
  await runForEach({
    items: target.ids,
    call: async (id) => (await execute(listedKey, { id }, signal)).key,
    signal,
    onEnd: (id, outcome) => {
      if (outcome.status === 'rejected') throw outcome.reason;
      found.set(id, outcome.value);
    },
  });
  return target.ids.flatMap((id) => found.get(id) ?? []);
}
