import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useSubmit } from '../api/use-submit.ts';
import type { KeyDetailsFragment } from '../generated/graphql.ts';

export type Key = KeyDetailsFragment;

/** A change of a key that asks first. */
export type Question = 'replaceLeaked' | 'disable' | 'enable' | 'renew' | 'revoke' | 'endOverlap' | 'disableSigning';

/** The properties of each part of the page. */
export interface PartProps {
  readonly apiKey: Key;
  /** Whether the user may change the key, and it is not revoked. */
  readonly editable: boolean;
  readonly ask: (question: Question) => void;
}

/** Changes a key. All parts of the page then show the key of the response, and load all other data again. */
export function useKeyChange<Input, Answer extends { readonly apiKey: Key }>(
  change: (input: Input) => Promise<Answer>,
) {
  const queries = useQueryClient();
  return useSubmit({
    mutationFn: change,
    onSuccess: ({ apiKey }) => showChange(queries, apiKey),
    // The change may have been made even if the response was lost.
    onError: () => void queries.invalidateQueries({ queryKey: ['key'] }),
    // The response can contain a secret.
    gcTime: 0,
  });
}

/** Shows the key of a response on every page, and loads all data again that the change may have affected. */
export async function showChange(queries: QueryClient, apiKey: Key): Promise<void> {
  await showKey(queries, apiKey);
  // Not awaited, because the change has succeeded even if loading the lists fails.
  void queries.invalidateQueries({ predicate: ({ queryKey: [kind] }) => kind !== 'viewer' && kind !== 'key' });
}

/** Shows the key on every page. Cancels earlier reads, which could overwrite the key with an older revision. */
export async function showKey(queries: QueryClient, apiKey: Key): Promise<void> {
  await queries.cancelQueries({
    predicate: ({ queryKey: [kind, id] }) => (kind === 'key' || kind === 'rotation') && id === apiKey.id,
  });
  queries.setQueryData(['key', apiKey.id], apiKey);
}
