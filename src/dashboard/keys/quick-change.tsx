/** Changes of one key that need no confirmation, because they can be undone. */
import { Alert } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { execute } from '../api/execute.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import type { Key } from './columns.tsx';
import { changeListedKey, enableListedKey } from './operations.ts';
import { renewedExpiry } from './renewal.ts';

interface QuickChange {
  readonly kind: 'renew' | 'enable';
  readonly key: Key;
}

const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long' });

export function useQuickChange() {
  const queries = useQueryClient();
  const { mutate, data, error, reset } = useMutation({
    mutationFn: async ({ kind, key }: QuickChange): Promise<string> => {
      const { id, name, revision } = key;
      if (kind === 'enable') {
        await execute(enableListedKey, { id });
        return `“${name}” is enabled.`;
      }
      const expiry = renewedExpiry(key, Date.now());
      if (expiry === null) return `“${name}” never expires.`;
      // Only if it is still the key that the user sees: the new expiry is computed from the old one.
      const input = { expiresAt: expiry.toISOString() };
      await execute(changeListedKey, { id, input, ifRevision: [revision] });
      return `“${name}” now expires on ${day.format(expiry)}.`;
    },
    // Also after an error: the key may have been changed by another user.
    onSettled: () => queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'viewer' }),
  });
  const renew = useCallback((key: Key) => mutate({ kind: 'renew', key }), [mutate]);
  const enable = useCallback((key: Key) => mutate({ kind: 'enable', key }), [mutate]);
  return { renew, enable, message: data, error, reset };
}

export function QuickChangeNotice({ change }: { readonly change: ReturnType<typeof useQuickChange> }) {
  if (change.error !== null) return <ErrorNotice error={change.error} />;
  if (change.message === undefined) return null;
  return (
    <Alert role="status" p="xs" withCloseButton closeButtonLabel="Close" onClose={change.reset}>
      {change.message}
    </Alert>
  );
}
