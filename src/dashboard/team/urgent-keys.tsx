import { Alert, List, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { execute } from '../api/execute.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { TextLink } from '../components/links.tsx';
import { type KeyFilter, KeyListDocument, type KeyOrder } from '../generated/graphql.ts';
import type { ListLink } from '../keys/filter/key-query.ts';
import type { Key } from '../keys/list/columns.tsx';

interface Props {
  readonly teamId: string;
  readonly color: 'red' | 'yellow';
  readonly title: string;
  readonly text: string;
  /** The time of the counts. The keys are read again with each one. */
  readonly at: string;
  readonly filter: KeyFilter;
  readonly orderBy?: KeyOrder;
  readonly list: ListLink;
  readonly listLabel: string;
  /** What is said of a key, after its name. */
  readonly children: (key: Key) => ReactNode;
}

const shown = 5;

/** Names the first keys that need attention, and links to all of them. */
export function UrgentKeys({ teamId, color, title, text, at, filter, orderBy, list, listLabel, children }: Props) {
  const { data, error } = useQuery({
    queryKey: ['keys', teamId, 'urgent', listLabel, at],
    queryFn: async ({ signal }) =>
      (await execute(KeyListDocument, { teamId, first: shown, filter, orderBy: orderBy ?? null }, signal)).keys.nodes,
    // `at` changes with each reload. The previous keys stay until the new list has loaded.
    placeholderData: keepPreviousData,
  });
  return (
    <Alert color={color} title={title} role="status">
      <Text size="sm">{text}</Text>
      {error !== null && <ErrorNotice error={error} />}
      <List size="sm" my="xs">
        {data?.map((key) => (
          <List.Item key={key.id} className="breakable">
            <TextLink to="/teams/$teamId/keys/$keyId" params={{ teamId, keyId: key.id }} c="var(--mantine-color-text)">
              {key.name}
            </TextLink>{' '}
            {children(key)}
          </List.Item>
        ))}
      </List>
      <TextLink {...list} inherit={false} size="sm" c="var(--mantine-color-text)">
        {listLabel}
      </TextLink>
    </Alert>
  );
}
