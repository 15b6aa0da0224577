import { Loader, NativeSelect, Stack, Table, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { execute } from '../api/execute.ts';
import { OlderPages } from '../components/older-pages.tsx';
import { DeliveriesDocument, type DeliveryOutcome } from '../generated/graphql.ts';
import { DeliveryRows } from './delivery-rows.tsx';
import { choicesOf } from './webhook-form.tsx';
import { outcomeNames, outcomes } from './webhook-search.ts';
import { pollMs, type Webhook } from './webhooks.ts';
import '../key/history/trail.css';
import './deliveries.css';

const pageSize = 50;

interface Props {
  readonly teamId: string;
  readonly webhook: Webhook;
  readonly outcome: DeliveryOutcome | null;
  readonly choose: (outcome: DeliveryOutcome | undefined) => void;
}

/** The deliveries of a webhook, newest events first: a table whose rows can be expanded. */
export function Deliveries({ teamId, webhook, outcome, choose }: Props) {
  const { id: webhookId } = webhook;
  const list = useInfiniteQuery({
    queryKey: ['deliveries', webhookId, outcome],
    queryFn: async ({ pageParam: after, signal }) =>
      (await execute(DeliveriesDocument, { webhookId, outcome, first: pageSize, after }, signal)).deliveries,
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null),
    placeholderData: (last) => last,
    // A refetch would load all pages again, one by one.
    refetchOnWindowFocus: false,
    refetchInterval: ({ state }) => (state.data?.pages.length === 1 ? pollMs : false),
  });
  const deliveries = list.data?.pages.flatMap(({ nodes }) => nodes) ?? [];
  return (
    <Stack>
      <NativeSelect
        label="Outcome"
        w="fit-content"
        data={[{ value: '', label: 'Any' }, ...choicesOf(outcomeNames)]}
        value={outcome ?? ''}
        onChange={({ currentTarget }) => choose(outcomes.find((outcome) => outcome === currentTarget.value))}
      />
      {list.isPending && <Loader aria-label="Loading" />}
      {list.isSuccess && deliveries.length === 0 && (
        <Text role="status">
          {outcome === null ? 'No event was sent in the last 14 days.' : 'No delivery has this outcome.'}
        </Text>
      )}
      {deliveries.length > 0 && (
        <Table
          className="trail deliveries"
          fz="sm"
          verticalSpacing={4}
          aria-label="Deliveries"
          opacity={list.isPlaceholderData ? 0.6 : 1}
        >
          <Table.Thead visibleFrom="sm">
            <Table.Tr>
              <Table.Th>Event</Table.Th>
              <Table.Th>About</Table.Th>
              <Table.Th className="outcome">Outcome</Table.Th>
              <Table.Th>Attempts</Table.Th>
              <Table.Th>Time</Table.Th>
            </Table.Tr>
          </Table.Thead>
          {deliveries.map((delivery) => (
            <DeliveryRows key={delivery.eventId} delivery={delivery} teamId={teamId} webhook={webhook} />
          ))}
        </Table>
      )}
      <OlderPages list={list} label="Show older deliveries" />
    </Stack>
  );
}
