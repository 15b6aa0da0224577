/** Reads the keys to change, and changes the keys in batches, no faster than the server's rate limit allows. */
import { limits } from '../../../domain/limits.ts';
import { violationText } from '../../../domain/policy/policy-violation.ts';
import { problemsByKey } from '../../../key-file/import-batches.ts';
import { ApiError } from '../../api/api-error.ts';
import { execute } from '../../api/execute.ts';
import { readPages } from '../../api/read-pages.ts';
import {
  ChangeKeysDocument,
  type KeyChangeOutcome,
  type KeyFilter,
  type KeyToChangeInput,
  MatchingKeysDocument,
  OneKeyDocument,
} from '../../generated/graphql.ts';
import { type BulkChange, type Details, type Key, noDetails } from './change.ts';

export type Target = { readonly ids: readonly string[] } | { readonly teamId: string; readonly filter: KeyFilter };

export interface Found {
  readonly keys: readonly Key[];
  /** The ids of keys that no longer exist: the service can delete revoked keys after some time. */
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

/** Leaves room for the rest of the body, which the server limits to 64 kB. */
const batchBytes = 48 * 1024;
const encoder = new TextEncoder();

interface Run {
  readonly teamId: string;
  readonly change: Pick<BulkChange, 'action' | 'settings'>;
  readonly details?: Details;
  readonly keys: readonly Key[];
  /** Changes also keys that do not have the revision that the user has seen anymore. */
  readonly isUnconditional?: boolean;
  readonly signal?: AbortSignal;
  readonly onEnd?: (outcomes: Outcomes) => void;
}

/** Why a key was not changed, or its new revision. The revision is null if the key was as requested already. */
export type Outcome = { readonly problem: ApiError } | { readonly revision: string | null };

/** Keys without an entry were not tried yet. */
export type Outcomes = ReadonlyMap<Key, Outcome>;

export const problemIn = (outcome: Outcome) => ('problem' in outcome ? outcome.problem : null);

/** Returns the outcome of each key that was tried, also if all failed. */
export async function runInBatches(run: Run): Promise<Outcomes> {
  let outcomes: Outcomes = new Map();
  let rest = run.keys;
  while (rest.length > 0 && run.signal?.aborted !== true) {
    outcomes = new Map([...outcomes, ...(await changeBatch(run, firstBatch(run, rest)))]);
    run.onEnd?.(outcomes);
    rest = rest.filter((key) => !outcomes.has(key));
  }
  return outcomes;
}

interface Entry {
  readonly key: Key;
  readonly input: KeyToChangeInput;
}

function firstBatch(
  { change, details = noDetails, isUnconditional = false }: Run,
  keys: readonly Key[],
): readonly Entry[] {
  const batch: Entry[] = [];
  let bytes = 0;
  for (const key of keys.slice(0, limits.changedKeysWithViolations)) {
    const settings = change.settings?.(key, details);
    // The change is valid only for the revision that the user has seen, because it is computed from that revision.
    const ifRevision = isUnconditional ? null : [key.revision];
    const input = { id: key.id, ifRevision, ...(settings === undefined ? {} : { settings }) };
    bytes += encoder.encode(JSON.stringify(input)).length + 1;
    if (bytes > batchBytes && batch.length > 0) break;
    batch.push({ key, input });
  }
  return batch;
}

async function changeBatch(run: Run, batch: readonly Entry[]): Promise<Outcomes> {
  const { teamId, change, details = noDetails, signal } = run;
  const keys = batch.map(({ input }) => input);
  const variables = { teamId, action: change.action, keys, reason: details.reason.trim() || null };
  try {
    const { results } = (await retryWhenLimited(() => execute(ChangeKeysDocument, variables), signal)).changeKeys;
    const outcomes = new Map<Key, Outcome>();
    for (const [i, { key }] of batch.entries()) {
      const { outcome = 'UNAVAILABLE', apiKey = null, policyViolations = [] } = results[i] ?? {};
      if (outcome === 'NOT_ATTEMPTED') continue;
      const reason = policyViolations.map(violationText).join('; ');
      outcomes.set(key, outcomeOf(outcome, apiKey?.revision ?? null, reason));
    }
    return outcomes;
  } catch (error) {
    const failure = error instanceof ApiError ? error : new ApiError('DASHBOARD', String(error), null);
    // One invalid field rejects the whole call. The next batch repeats it without the keys that have invalid fields.
    const invalid = problemsByKey(failure.fields);
    if (invalid === null) return new Map(batch.map(({ key }) => [key, { problem: failure }]));
    const errorOf = (i: number) => new ApiError(failure.code, invalid.get(i)?.join('; ') ?? '', failure.requestId);
    return new Map(batch.flatMap(({ key }, i) => (invalid.has(i) ? [[key, { problem: errorOf(i) }]] : [])));
  }
}

type Tried = Exclude<KeyChangeOutcome, 'NOT_ATTEMPTED'>;

function outcomeOf(outcome: Tried, revision: string | null, reason: string): Outcome {
  if (outcome === 'CHANGED') return { revision };
  if (outcome === 'UNCHANGED') return { revision: null };
  return {
    problem: new ApiError(outcome, reason === '' ? problems[outcome] : `${problems[outcome]} ${reason}.`, null),
  };
}

const problems: Readonly<Record<Exclude<Tried, 'CHANGED' | 'UNCHANGED'>, string>> = {
  KEY_NOT_FOUND: 'The key does not exist anymore.',
  KEY_REVOKED: 'The key is revoked.',
  PRECONDITION_FAILED: 'The key was changed meanwhile, and was left as it is.',
  POLICY_VIOLATED: 'The policy of the team does not permit this.',
  UNAVAILABLE: 'The server did not answer in time. Whether the key was changed is not known.',
};

/** Repeats a call that exceeded the rate limit, after `retryAfterSeconds` if this is at most 2 minutes. */
export async function retryWhenLimited<Result>(call: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      const seconds = error instanceof ApiError ? error.retryAfterSeconds : null;
      if (seconds === null || seconds > 120 || signal?.aborted === true) throw error;
      await sleep(seconds * 1000, signal);
    }
  }
}

async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => resolve(), { once: true });
  });
}
