/** The columns of the list that can be hidden. */
import { Badge, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { EnvBadge, ExpiryText } from '../components/key-facts.tsx';
import { Moment } from '../components/moment.tsx';
import type { KeyOrderField, KeyRowFragment } from '../generated/graphql.ts';
import { useStored } from './stored.ts';

export type Key = KeyRowFragment;

export interface Column {
  readonly id: string;
  readonly label: string;
  readonly sort?: KeyOrderField;
  /** On narrower windows the column is hidden. */
  readonly visibleFrom: 'xs' | 'sm' | 'md';
  readonly cell: (key: Key) => ReactNode;
}

export const columns: readonly Column[] = [
  { id: 'env', label: 'Environment', visibleFrom: 'sm', cell: ({ env }) => <EnvBadge env={env} /> },
  {
    id: 'lastUsed',
    label: 'Last used',
    visibleFrom: 'xs',
    cell: ({ lastUsedAt }) =>
      lastUsedAt == null ? (
        <Text size="sm" c="dimmed">
          never
        </Text>
      ) : (
        <Moment at={lastUsedAt} />
      ),
  },
  {
    id: 'created',
    label: 'Created',
    sort: 'CREATED_AT',
    visibleFrom: 'md',
    cell: ({ createdAt }) => <Moment at={createdAt} />,
  },
  {
    id: 'expires',
    label: 'Expires',
    sort: 'EXPIRES_AT',
    visibleFrom: 'xs',
    cell: ({ expiresAt, state }) => <ExpiryText expiresAt={expiresAt ?? null} state={state} />,
  },
  {
    id: 'signing',
    label: 'Signing',
    visibleFrom: 'md',
    cell: ({ signingEnabled }) => (signingEnabled ? 'on' : 'off'),
  },
  { id: 'tags', label: 'Tags', visibleFrom: 'sm', cell: ({ tags }) => <Tags tags={tags} /> },
  { id: 'externalId', label: 'External id', visibleFrom: 'sm', cell: ({ externalId }) => externalId },
];

function Tags({ tags }: { readonly tags: readonly string[] }) {
  return (
    <Group gap={4}>
      {tags.map((tag) => (
        <Badge key={tag} color="gray.7" variant="filled" tt="none">
          {tag}
        </Badge>
      ))}
    </Group>
  );
}

/** The ids of the hidden columns, which the browser remembers. */
export function useHiddenColumns() {
  return useStored('latchkey-hidden-columns', hiddenIn);
}

function hiddenIn(stored: unknown): readonly string[] {
  return Array.isArray(stored) ? stored.filter((id) => typeof id === 'string') : ['tags', 'externalId'];
}
