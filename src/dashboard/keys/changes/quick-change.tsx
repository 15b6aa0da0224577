/** Changes of one key that need no confirmation, because they can be undone. */
import { Alert } from '@mantine/core';
import { useIsMutating, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { execute } from '../../api/execute.ts';
import { useSubmit } from '../../api/use-submit.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { EnableKeyDocument, UpdateKeyDocument } from '../../generated/graphql.ts';
import { renewedExpiry } from '../../key-settings/expiry.ts';
import type { Key } from '../list/columns.tsx';

interface QuickChange {
  readonly kind: 'renew' | 'enable';
  readonly key: Key;
}

const mutationKey = ['quick-change'];
const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long' });

export function useQuickChange() {
  const queries = useQueryClient();
  const { submit, data, error, reset } = useSubmit({
    mutationKey,
    mutationFn: async ({ kind, key }: QuickChange): Promise<string> => {
      const { id, name, revision } = key;
      if (kind === 'enable') {
        await execute(EnableKeyDocument, { id });
        return `“${name}” is enabled.`;
      }
      const expiry = renewedExpiry(key, Date.now());
      if (expiry === null) return `“${name}” never expires.`;
      // `ifRevision`, because the new expiry is computed from the expiry that the user sees.
      const input = { expiresAt: expiry.toISOString() };
      await execute(UpdateKeyDocument, { id, input, ifRevision: [revision] });
      return `“${name}” now expires on ${day.format(expiry)}.`;
    },
    // Also after an error, because another user may have changed the key.
    onSettled: () => queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'viewer' }),
  });
  const renew = useCallback((key: Key) => submit({ kind: 'renew', key }), [submit]);
  const enable = useCallback((key: Key) => submit({ kind: 'enable', key }), [submit]);
  return { renew, enable, message: data, error, reset };
}

/** Returns whether a quick change is pending. Only one can be made at a time. */
export function useIsQuickChanging(): boolean {
  return useIsMutating({ mutationKey }) > 0;
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
