/** What a search found beside the list: revoked keys, keys that the filters leave out, keys of other teams, and why none. */
import { Anchor, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { searchable } from '../../../domain/folded-text.ts';
import { isLinkable } from '../../../domain/key/search-text.ts';
import type { KeyQuery } from '../filter/key-query.ts';
import { type FoundKey, keySearch } from '../found/find-keys.ts';
import { FoundKeys } from '../found/found-keys.tsx';

interface Props {
  readonly teamId: string;
  readonly query: KeyQuery;
  /** The keys on the page of the list; undefined until those of this search have loaded. */
  readonly listed: readonly { readonly id: string; readonly name: string }[] | undefined;
}

export function SearchOutcome({ teamId, query, listed }: Props) {
  const { chosen, isTyped, link, choose } = query;
  const text = chosen.search;
  const { data: found } = useQuery(keySearch(text, null));
  const part = found === undefined || listed === undefined ? null : (found.linkable ?? nameIn(text, listed));
  useEffect(() => {
    if (isTyped && part !== null) link(part);
  });
  const includesRevoked = chosen.state === 'all' || chosen.state === 'revoked';
  // If the list has more pages, a key that is not on this page may be on another one.
  const hasPages = query.page > 1 || (listed?.length ?? 0) >= query.pageSize;
  const isElsewhere = (key: FoundKey) => key.teamId !== teamId || (key.state === 'REVOKED' && !includesRevoked);
  const others = (found?.keys ?? [])
    .map(({ apiKey }) => apiKey)
    .filter((key) => !listed?.some(({ id }) => id === key.id) && (!hasPages || isElsewhere(key)));
  if (listed === undefined) return null;
  return (
    <Stack gap={4} role="status" aria-label="Also found">
      {others.length > 0 && <Text size="sm">Not in this list:</Text>}
      <FoundKeys teamId={teamId} keys={others} />
      {listed.length + others.length === 0 && found?.hint != null && <Text size="sm">{found.hint}</Text>}
      {!includesRevoked && (
        <Text size="sm" c="dimmed">
          Revoked keys are not in this list.{' '}
          <Anchor component="button" type="button" inherit underline="always" onClick={() => choose({ state: 'all' })}>
            Include them
          </Anchor>
        </Text>
      )}
    </Stack>
  );
}

function nameIn(text: string, keys: readonly { readonly name: string }[]): string | null {
  const searched = searchable(text.trim());
  return isLinkable(text) && keys.some(({ name }) => searchable(name).includes(searched)) ? text.trim() : null;
}
