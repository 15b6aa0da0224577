import { Group, Loader, Paper, SegmentedControl, Skeleton, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { ErrorNotice } from '../components/error-notice.tsx';
import { barsOf, type Hour, type Step, spanOf, totalsOf } from './usage-bars.ts';
import { colorOf } from './verdict-colors.ts';

/** Loaded on demand, because the chart library is a large part of the page's size. */
const UsageChart = lazy(async () => import('./usage-chart.tsx'));

interface Props {
  readonly of: readonly string[];
  readonly read: (from: Date, to: Date, signal: AbortSignal) => Promise<Hour[]>;
}

/** Shows the verifications by hour or day, and by verdict. */
export function Use({ of, read }: Props) {
  const [step, setStep] = useState<Step>('hour');
  const span = spanOf(step, new Date());
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ['use', ...of, step, span.from.getTime()],
    queryFn: ({ signal }) => read(span.from, span.to, signal),
    refetchInterval: 30_000,
  });
  return (
    <Stack>
      <Group>
        <SegmentedControl
          aria-label="By"
          value={step}
          onChange={(value) => setStep(value as Step)}
          data={[
            { value: 'hour', label: 'Last 48 hours' },
            { value: 'day', label: 'Last 30 days' },
          ]}
        />
      </Group>
      {error !== null && <ErrorNotice error={error} retry={refetch} retrying={isFetching} />}
      {data === undefined && error === null && <Loader aria-label="Loading" />}
      {data?.length === 0 && (
        <Paper withBorder p="xl" ta="center" role="status">
          <Text>No verifications in this time.</Text>
        </Paper>
      )}
      {data !== undefined && data.length > 0 && (
        <>
          <Suspense fallback={<Skeleton h={260} />}>
            <UsageChart bars={barsOf(data, step, span)} codes={totalsOf(data).map(([code]) => code)} />
          </Suspense>
          <Totals hours={data} />
        </>
      )}
    </Stack>
  );
}

function Totals({ hours }: { readonly hours: readonly Hour[] }) {
  return (
    <Table maw={420} fz="sm">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Verdict</Table.Th>
          <Table.Th ta="right">Verifications</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {totalsOf(hours).map(([code, count]) => (
          <Table.Tr key={code}>
            <Table.Td>
              <Group gap="xs" wrap="nowrap">
                <span aria-hidden className="swatch" style={{ background: `var(--mantine-color-${colorOf(code)})` }} />
                <span className="breakable">{code}</span>
              </Group>
            </Table.Td>
            <Table.Td ta="right">{count.toLocaleString()}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
