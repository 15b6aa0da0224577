import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Moment } from '../../components/moment.tsx';
import { EnvBadge } from '../../components/state-dot.tsx';
import type { KeyOrderField, KeyRowFragment } from '../../generated/graphql.ts';
import { Badge, ExpiryText } from '../../key-settings/key-facts.tsx';
import { useStoredList } from '../filter/stored.ts';

export type Key = KeyRowFragment;

export interface Column {
  readonly id: string;
  readonly label: string;
  readonly sort?: KeyOrderField;
  /** The column is hidden in windows that are narrower than this breakpoint. */
  readonly visibleFrom: 'xs' | 'sm' | 'md';
  readonly cell: (key: Key) => ReactNode;
}

export const columns: readonly Column[] = [
  { id: 'env', label: 'Environment', visibleFrom: 'sm', cell: ({ env }) => <EnvBadge env={env} /> },
  {
    id: 'lastUsed',
    label: 'Last used',
    visibleFrom: 'xs',
    cell: ({ lastUsedAt }) => (lastUsedAt == null ? <span className="dimmed">never</span> : <Moment at={lastUsedAt} />),
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
  {
    id: 'tags',
    label: 'Tags',
    visibleFrom: 'sm',
    cell: ({ tags }) => (
      <span className="tags">
        {tags.map((tag) => (
          <Badge key={tag} color="gray">
            {tag}
          </Badge>
        ))}
      </span>
    ),
  },
  {
    id: 'externalId',
    label: 'External ID',
    visibleFrom: 'sm',
    cell: ({ externalId }) => <span className="wraps">{externalId}</span>,
  },
  {
    id: 'description',
    label: 'Description',
    visibleFrom: 'md',
    cell: ({ description }) => (
      <Text size="sm" lineClamp={2} title={description ?? ''}>
        {description}
      </Text>
    ),
  },
];

const isText = (value: unknown): value is string => typeof value === 'string';
const hiddenAtFirst: readonly string[] = ['tags', 'externalId'];

export function useHiddenColumns() {
  return useStoredList('latchkey-hidden-columns', hiddenAtFirst, isText);
}
