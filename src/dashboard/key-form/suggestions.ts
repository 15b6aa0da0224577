import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { execute } from '../api/execute.ts';
import { KnownLabelsDocument } from '../generated/graphql.ts';
import { useMay } from '../session/viewer.ts';

/** The newest keys, whose scopes and tags are suggested. */
const sample = 100;
const staleMs = 60_000;

/**
 * Returns props for a PillsInput that suggests the scopes or tags of the team's newest keys, the most used ones first.
 * They are read when the field gets the focus. If that fails, the field works without suggestions.
 * @param permitted the only entries that a policy permits, which are suggested instead
 */
export function useSuggestions(teamId: string, kind: 'scopes' | 'tags', permitted?: readonly string[]) {
  const [isWanted, setWanted] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const mayView = useMay('view_team', teamId);
  const { data } = useQuery({
    queryKey: ['labels', teamId],
    queryFn: async ({ signal }) => (await execute(KnownLabelsDocument, { teamId, first: sample }, signal)).keys.nodes,
    enabled: isWanted && mayView && permitted === undefined,
    staleTime: staleMs,
    retry: false,
  });
  const suggestions = permitted === undefined ? byUse((data ?? []).flatMap((key) => key[kind])) : [...permitted];
  return {
    data: suggestions,
    onFocus: () => setWanted(true),
    dropdownOpened: isOpen && suggestions.length > 0,
    onDropdownOpen: () => setOpen(true),
    onDropdownClose: () => setOpen(false),
    onBlur: () => setOpen(false),
  };
}

/** Returns each text once, those that occur most often first. */
function byUse(texts: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort(([one, a], [other, b]) => b - a || one.localeCompare(other)).map(([text]) => text);
}
