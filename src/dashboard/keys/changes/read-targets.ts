/** Reads the keys that a change is about, as they are now. */
import { ApiError } from '../../api/api-error.ts';
import { execute } from '../../api/execute.ts';
import { readPages } from '../../api/read-pages.ts';
import { type KeyFilter, MatchingKeysDocument, OneKeyDocument } from '../../generated/graphql.ts';
import type { Key } from './change.ts';
import { retryWhenLimited } from './run-batches.ts';

export type Target = { readonly ids: readonly string[] } | { readonly teamId: string; readonly filter: KeyFilter };

export interface Found {
  readonly keys: readonly Key[];
  /** The ids of keys that do not exist anymore: the service deletes revoked keys after some time. */
  readonly missing: readonly string[];
}

const parallelCalls = 4;

export async function readTargets(target: Target, signal: AbortSignal): Promise<Found> {
  if ('filter' in target) {
    const keys = await readPages(async (after) => {
      const variables = { teamId: target.teamId, filter: target.filter, first: 200, after };
      return (await execute(MatchingKeysDocument, variables, signal)).keys;
    });
    return { keys, missing: [] };
  }
  const keys: Key[] = [];
  const missing: string[] = [];
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const read = async (id: string) => ({ id, key: await readKey(id, either) });
  try {
    for (let start = 0; start < target.ids.length; start += parallelCalls) {
      for (const { id, key } of await Promise.all(target.ids.slice(start, start + parallelCalls).map(read))) {
        if (key === null) missing.push(id);
        else keys.push(key);
      }
    }
  } finally {
    stop.abort();
  }
  return { keys, missing };
}

async function readKey(id: string, signal: AbortSignal): Promise<Key | null> {
  try {
    return (await retryWhenLimited(() => execute(OneKeyDocument, { id }, signal), signal)).key;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'KEY_NOT_FOUND') return null;
    throw error;
  }
}
