/** Messages about changes, with their undo, and changes of one key that need no confirmation because of it. */
import { useIsMutating } from '@tanstack/react-query';
import { useCallback } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { reloadKeys } from '../../api/query-client.ts';
import { useSubmit } from '../../api/use-submit.ts';
import { toast, type UndoQuestion } from '../../components/toast.ts';
import {
  type BulkChange,
  beyondPolicy,
  type ChangeKind,
  changes,
  countOf,
  type Details,
  inWords,
  type Key,
  noDetails,
} from './change.ts';
import { type Outcomes, problemIn, readTargets, runInBatches } from './change-keys.ts';

interface QuickChange {
  readonly teamId: string;
  readonly kind: 'renew' | 'enable';
  readonly key: Key;
}

const mutationKey = ['quick-change'];

/** Changes a key, and shows a toast that offers to undo it. Throws ApiError. */
async function changeNow({ teamId, kind, key }: QuickChange): Promise<void> {
  if (kind === 'enable') await checkLeaks(teamId, [key]);
  // A new expiry is computed from the one that the user sees. A key can be enabled whatever else was changed.
  const details = kind === 'renew' ? { ...noDetails, policies: await policiesNow(teamId) } : noDetails;
  const change = changes[kind];
  // The service rejects what is impossible for other reasons.
  if (kind === 'renew' && change.obstacle(key, details) === beyondPolicy)
    throw new ApiError('POLICY_VIOLATED', `“${key.name}” ${beyondPolicy}.`, null);
  const outcomes = await runInBatches({ teamId, change, details, keys: [key], isUnconditional: kind === 'enable' });
  announce({ teamId, kind, details, outcomes });
  // Also after an error, because another user may have changed the key.
  await reloadKeys();
  for (const problem of [...outcomes.values()].map(problemIn)) if (problem !== null) throw problem;
}

/** Loaded when a key is renewed, so that the list does not wait for it. */
async function policiesNow(teamId: string) {
  return await (await import('../../policy/policy.ts')).readPolicies(teamId);
}

/** Returns changes for buttons and menus. Their errors are shown as toasts. */
export function useQuickChange(teamId: string) {
  const { submit } = useSubmit({ mutationKey, mutationFn: changeNow, onError: (error) => toast(error) });
  const renew = useCallback((key: Key) => submit({ teamId, kind: 'renew', key }), [submit, teamId]);
  const enable = useCallback((key: Key) => submit({ teamId, kind: 'enable', key }), [submit, teamId]);
  return { renew, enable };
}

/** Returns whether a quick change is pending. Only one can be made at a time. */
export function useIsQuickChanging(): boolean {
  return useIsMutating({ mutationKey }) > 0;
}

interface Ended {
  readonly teamId: string;
  readonly kind: ChangeKind;
  readonly details: Details;
  readonly outcomes: Outcomes;
}

/** Says which keys were changed, and offers to undo it unless the change is final. */
export function announce({ teamId, kind, details, outcomes }: Ended): void {
  const change = changes[kind];
  const { undo } = change;
  const done = [...outcomes].filter(([, outcome]) => problemIn(outcome) === null).map(([key]) => key);
  if (done.length === 0) return;
  const restorable = [...outcomes].flatMap(([key, outcome]) =>
    'revision' in outcome && outcome.revision !== null ? [{ ...key, revision: outcome.revision }] : [],
  );
  const message = inWords(change, done, details);
  if (undo === undefined || restorable.length === 0) toast(message);
  else {
    const question = undo.action === 'ENABLE' ? questionToEnable(restorable) : undefined;
    toast(message, { undo: () => restore(teamId, undo, restorable), question });
  }
}

/**
 * Reads keys that are about to be accepted again, enabled or renewed, and throws ApiError if one has leaked since the user
 * saw it: the user was not asked whether its leaked secret may work again.
 */
export async function checkLeaks(teamId: string, keys: readonly Pick<Key, 'id' | 'name' | 'leak'>[]): Promise<void> {
  const safe = new Map(keys.filter(({ leak }) => leak === null).map(({ id, name }) => [id, name]));
  if (safe.size === 0) return;
  const target = { teamId, filter: { leaked: true, state: ['DISABLED' as const, 'EXPIRED' as const] } };
  const leaked = (await readTargets(target, new AbortController().signal)).keys.find(({ id }) => safe.has(id));
  if (leaked === undefined) return;
  await reloadKeys();
  const message = `“${leaked.name}” has leaked meanwhile, and stays ${leaked.state.toLowerCase()}. Look at its page.`;
  throw new ApiError('PRECONDITION_FAILED', message, null);
}

/** Asks before an undo ends what disabling has protected from. */
export function questionToEnable(keys: readonly Pick<Key, 'name' | 'leak'>[]): UndoQuestion {
  const [first] = keys;
  const isOne = keys.length === 1;
  const which = isOne && first !== undefined ? `“${first.name}”` : countOf(keys);
  const leaked = keys.filter(({ leak }) => leak !== null);
  const risk =
    leaked.length === 0
      ? ''
      : ` ${isOne ? 'It has' : `${countOf(leaked)} of them`} leaked: whoever has found a leaked secret can use it again.`;
  const text = `${isOne ? 'It is' : 'They are'} accepted again immediately.${risk}`;
  return { title: `Enable ${which} again?`, text, label: isOne ? 'Enable it again' : 'Enable them again' };
}

/** Restores only keys that have not been changed again. Throws ApiError if there is another one. */
async function restore(
  teamId: string,
  undo: Pick<BulkChange, 'action' | 'settings'>,
  keys: readonly Key[],
): Promise<void> {
  if (undo.action === 'ENABLE') await checkLeaks(teamId, keys);
  const outcomes = await runInBatches({ teamId, change: undo, keys });
  await reloadKeys();
  const problems = [...outcomes.values()].map(problemIn).filter((problem) => problem !== null);
  const [first] = problems;
  if (first === undefined) return;
  const which = keys.length === 1 ? '' : `Not undone for ${countOf(problems)} of ${keys.length}. `;
  throw new ApiError(first.code, `${which}${first.message}`, first.requestId, { errors: first.fields });
}
