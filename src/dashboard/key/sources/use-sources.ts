import { useQuery } from '@tanstack/react-query';
import { execute } from '../../api/execute.ts';
import { ObservedSourcesDocument } from '../../generated/graphql.ts';
import { isAccepted } from './suggestions.ts';

/** Loads the observed sources of a key. `lastAccepted` is the source whose request was accepted last. */
export function useSources(keyId: string) {
  const query = useQuery({
    queryKey: ['observed-sources', keyId],
    queryFn: ({ signal }) => execute(ObservedSourcesDocument, { keyId }, signal),
    refetchInterval: 30_000,
  });
  return { query, lastAccepted: query.data?.observedSources.find(isAccepted) };
}
