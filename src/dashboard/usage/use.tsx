import { Loader, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ErrorNotice } from '../components/error-notice.tsx';
import { useLoaded } from '../components/loaded.ts';
import { NotLoaded } from '../components/not-loaded.tsx';
import { barsOf, type Hour, type Span, successRate, totalsOf } from './usage-bars.ts';
import { RangeInput, useSpan } from './usage-range.tsx';
import { BarTable, Totals } from './usage-tables.tsx';

/** Loaded on demand, because the chart library is a large part of the page's size. */
const loadChart = async () => (await import('./usage-chart.tsx')).UsageChart;

interface Props {
  readonly of: readonly string[];
  readonly read: (from: Date, to: Date, signal: AbortSignal) => Promise<Hour[]>;
}

/** Shows the verifications of a period by hour or day, and by verdict. */
export function Use({ of, read }: Props) {
  const { span, input } = useSpan('period', '48h');
  return (
    <Stack>
      <RangeInput {...input} />
      {span !== null && <Period of={of} read={read} span={span} />}
    </Stack>
  );
}

function Period({ of, read, span }: Props & { readonly span: Span }) {
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ['use', ...of, span.from.getTime(), span.to.getTime()],
    queryFn: ({ signal }) => read(span.from, span.to, signal),
    refetchInterval: 30_000,
  });
  return (
    <>
      {error !== null && <ErrorNotice error={error} retry={refetch} retrying={isFetching} />}
      {data === undefined && error === null && <Loader aria-label="Loading" />}
      {data?.length === 0 && (
        <Paper withBorder p="xl" ta="center" role="status">
          <Text>No verifications in this time.</Text>
        </Paper>
      )}
      {data !== undefined && data.length > 0 && <Shown hours={data} span={span} />}
    </>
  );
}

function Shown({ hours, span }: { readonly hours: readonly Hour[]; readonly span: Span }) {
  const { part: UsageChart, failed, retry } = useLoaded(loadChart, true);
  const bars = barsOf(hours, span);
  const codes = totalsOf(hours).map(([code]) => code);
  return (
    <>
      <Text>
        Accepted: <strong>{successRate(hours)}</strong>
      </Text>
      {UsageChart !== undefined && <UsageChart bars={bars} codes={codes} />}
      {UsageChart === undefined && (failed ? <NotLoaded what="The chart" retry={retry} /> : <Skeleton h={260} />)}
      <Totals hours={hours} />
      <BarTable bars={bars} codes={codes} step={span.step} />
    </>
  );
}
