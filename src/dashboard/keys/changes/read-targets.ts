/** Reads the keys that a change is about, as they are now. */

import { ApiError } from '../../api/api-error.ts';
import { execute } from '../../api/execute.ts';
import { readPages } from '../../api/read-pages.ts';
import { type KeyFilter, MatchingKeysDocument, OneKeyDocument } from '../../generated/graphql.ts';
import type { Key } from './change.ts';
import { retryWhenLimited } from './run-batches.ts';

/** Some keys, or all that match a filter. */
export type Target = { readonly ids: readonly string[] } | { readonly teamId: string; readonly filter: KeyFilter };

export interface Found {
  readonly keys: readonly Key[];
  /** The ids of keys that do not exist anymore: the service deletes revoked keys after some time. */
  readonly missing: readonly string[];
}

export async function readTargets(target: Target, signal: AbortSignal): Promise<Found> {
  if ('filter' in target) {
    const keys = await readPages(async (after) => {
      const variables = { teamId: target.teamId, filter: target.filter, first: 200, after };
      return (await execute(MatchingKeysDocument, variables, signal)).keys;
    });
    return { keys, missing: [] };
  }
  const found = new Map<string, Key>();
  const missing: string[] = [];
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  await runForEach({
    items: target.ids,
    call: async (id) => (await execute(OneKeyDocument, { id }, either)).key,
    signal: either,
    onEnd: (id, outcome) => {
      if (outcome.status === 'fulfilled') found.set(id, outcome.value);
      else if (outcome.reason instanceof ApiError && outcome.reason.code === 'KEY_NOT_FOUND') missing.push(id);
      else {
        stop.abort();
        throw outcome.reason;
      }
    },
  });
  return { keys: target.ids.flatMap((id) => found.get(id) ?? []), missing };
}

const parallelCalls = 4;

interface Calls<Item, Result> {
  readonly items: readonly Item[];
  readonly call: (item: Item) => Promise<Result>;
  /** When it is aborted, no further call is started. */
  readonly signal: AbortSignal;
  readonly onEnd: (item: Item, outcome: PromiseSettledResult<Result>) => void;
}

async function runForEach<Item, Result>({ items, call, signal, onEnd }: Calls<Item, Result>): Promise<void> {
  const waiting = items.values();
  const worker = async () => {
    for (const item of waiting) {
      if (signal.aborted) return;
      const [outcome] = await Promise.allSettled([retryWhenLimited(() => call(item), signal)]);
      onEnd(item, outcome);
    }
  };
  await Promise.all(Array.from({ length: parallelCalls }, worker));
}
