import { Box, Group, Paper, Skeleton, Text } from '@mantine/core';
import { CodeLink } from '../components/code-link.tsx';
import { DataTable } from '../components/data-table.tsx';
import { formatNumber } from '../components/format.ts';
import { useLoaded } from '../components/loading/loaded.ts';
import { NotLoaded } from '../components/loading/not-loaded.tsx';
import { ByPeriod } from './by-period.tsx';
import { type Bar, barsOf, type Hour, type Span, successRate, totalsOf, verdictColors } from './usage-bars.ts';

/** Loaded on demand, because the chart library is a large part of the page's size. */
const loadChart = async () => (await import('./usage-chart.tsx')).UsageChart;

interface Props {
  readonly of: readonly string[];
  readonly read: (from: Date, to: Date, signal: AbortSignal) => Promise<Hour[]>;
}

export function Use({ of, read }: Props) {
  return (
    <ByPeriod parameter="period" initial="48h" queryKey={['use', ...of]} read={read}>
      {(hours, span) =>
        hours.length === 0 ? (
          <Paper withBorder p="xl" ta="center" role="status">
            <Text>No verifications in this time.</Text>
          </Paper>
        ) : (
          <Shown hours={hours} span={span} />
        )
      }
    </ByPeriod>
  );
}

/** A chart, and tables with its numbers for keyboards, screen readers and the clipboard. */
function Shown({ hours, span }: { readonly hours: readonly Hour[]; readonly span: Span }) {
  const { part: UsageChart, failed, retry } = useLoaded(loadChart, true);
  const bars = barsOf(hours, span);
  const totals = totalsOf(hours);
  const codes = totals.map(({ code }) => code);
  return (
    <>
      <Text>
        Accepted: <strong>{successRate(hours)}</strong>
      </Text>
      {UsageChart !== undefined && <UsageChart bars={bars} codes={codes} />}
      {UsageChart === undefined && (failed ? <NotLoaded what="The chart" retry={retry} /> : <Skeleton h={260} />)}
      <Box maw={420}>
        <DataTable
          label="Verifications by verdict"
          minWidth={0}
          rows={totals}
          idOf={({ code }) => code}
          columns={[
            {
              name: 'Verdict',
              cell: ({ code }) => (
                <Group gap="xs" wrap="nowrap">
                  <span
                    aria-hidden
                    className="swatch"
                    style={{ background: `var(--mantine-color-${verdictColors[code]})` }}
                  />
                  <CodeLink code={code} />
                </Group>
              ),
            },
            { name: 'Verifications', isNumber: true, cell: ({ count }) => formatNumber(count) },
          ]}
        />
      </Box>
      <details>
        <summary>The chart as a table</summary>
        <DataTable
          label="The chart as a table"
          minWidth={320}
          rows={bars.filter((bar) => codes.some((code) => bar[code] !== undefined))}
          idOf={({ label }) => label}
          columns={[
            { name: span.step === 'hour' ? 'Hour' : 'Day', cell: ({ label }) => label },
            ...codes.map((code) => ({
              name: code,
              isNumber: true,
              cell: (bar: Bar) => formatNumber(Number(bar[code] ?? 0)),
            })),
          ]}
        />
      </details>
    </>
  );
}
