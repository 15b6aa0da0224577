import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { KeyDetailsFragment } from '../generated/graphql.ts';

export type Key = KeyDetailsFragment;

/**
 * A change of a key. Its answer has the key as it is now, which every page shows from then on; lists, trails and
 * overviews are asked for again.
 */
export function useKeyChange<Input, Answer extends { readonly apiKey: Key }>(
  change: (input: Input) => Promise<Answer>,
) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: ({ apiKey }) => {
      queries.setQueryData(['key', apiKey.id], apiKey);
      // Not waited for: what was changed is changed, whatever becomes of the lists.
      void queries.invalidateQueries({
        predicate: ({ queryKey }) => queryKey[0] !== 'viewer' && queryKey[0] !== 'key',
      });
    },
    // The answer may have a secret in it.
    gcTime: 0,
  });
}
