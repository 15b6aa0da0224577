import { Anchor, Loader, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { execute } from '../api/execute.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { formatNumber } from '../components/format.ts';
import type { RejectedKeysQuery } from '../generated/graphql.ts';
import { rejectedKeys } from './operations.ts';
import type { Span } from './usage-bars.ts';
import { RangeInput, useSpan } from './usage-range.tsx';

/** Shows which keys of a team are rejected most often, and why. */
export function RejectedKeys({ teamId }: { readonly teamId: string }) {
  const { span, input } = useSpan('rejected', '24h');
  return (
    <Stack>
      <RangeInput {...input} />
      {span !== null && <Rejected teamId={teamId} span={span} />}
    </Stack>
  );
}

function Rejected({ teamId, span: { from, to } }: { readonly teamId: string; readonly span: Span }) {
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ['rejected-keys', teamId, from.getTime(), to.getTime()],
    queryFn: async ({ signal }) => {
      const period = { from: from.toISOString(), to: to.toISOString() };
      return (await execute(rejectedKeys, { teamId, ...period }, signal)).rejectedKeys;
    },
    refetchInterval: 30_000,
  });
  return (
    <>
      {error !== null && <ErrorNotice error={error} retry={refetch} retrying={isFetching} />}
      {data === undefined && error === null && <Loader size="sm" aria-label="Loading" />}
      {data?.length === 0 && <Text role="status">No key was rejected in this time.</Text>}
      {data !== undefined && data.length > 0 && <RejectedTable teamId={teamId} rejected={data} />}
    </>
  );
}

interface TableProps {
  readonly teamId: string;
  readonly rejected: RejectedKeysQuery['rejectedKeys'];
}

function RejectedTable({ teamId, rejected }: TableProps) {
  return (
    <Table.ScrollContainer
      minWidth={420}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': 'Rejected keys' } }}
    >
      <Table fz="sm" verticalSpacing={4} aria-label="Rejected keys">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Key</Table.Th>
            <Table.Th ta="right">Rejected</Table.Th>
            <Table.Th>Verdicts</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rejected.map(({ apiKey: { id, name }, count, counts }) => (
            <Table.Tr key={id}>
              <Table.Td className="breakable">
                <Anchor component={Link} to={`/teams/${teamId}/keys/${id}?part=use`} inherit underline="always">
                  {name}
                </Anchor>
              </Table.Td>
              <Table.Td ta="right">{formatNumber(count)}</Table.Td>
              <Table.Td>{counts.map(({ code, count }) => `${code} ${formatNumber(count)}`).join(', ')}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
