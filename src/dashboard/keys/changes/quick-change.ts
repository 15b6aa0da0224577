/** Changes of one key that need no confirmation, because they can be undone. */
import { useIsMutating } from '@tanstack/react-query';
import { useCallback } from 'react';
import { reloadKeys } from '../../api/query-client.ts';
import { useSubmit } from '../../api/use-submit.ts';
import { toast } from '../../components/toast.ts';
import { changes, type Key, noDetails } from './change.ts';
import { runInBatches } from './change-keys.ts';
import { announce } from './undo.ts';

interface QuickChange {
  readonly teamId: string;
  readonly kind: 'renew' | 'enable' | 'disable';
  readonly key: Key;
  readonly reason?: string;
}

const mutationKey = ['quick-change'];

/** Changes a key, and shows a toast that offers to undo it. Throws ApiError. */
export async function changeNow({ teamId, kind, key, reason = '' }: QuickChange): Promise<void> {
  const details = { ...noDetails, reason };
  // A new expiry is computed from the one that the user sees. A key can be disabled whatever else was changed.
  const run = { teamId, change: changes[kind], details, keys: [key], isUnconditional: kind !== 'renew' };
  const outcomes = await runInBatches(run);
  const [outcome] = outcomes.values();
  if (outcome !== undefined && !('problem' in outcome)) announce({ teamId, kind, details, outcomes });
  // Also after an error, because another user may have changed the key.
  await reloadKeys();
  if (outcome !== undefined && 'problem' in outcome) throw outcome.problem;
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
