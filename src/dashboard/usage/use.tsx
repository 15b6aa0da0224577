/** How often keys were verified in a period, with which verdicts, and compared with the period before. */
import { Button, Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { usagePeriods } from '../../domain/usage-periods.ts';
import { CodeLink } from '../components/code-link.tsx';
import { DataTable } from '../components/data-table.tsx';
import { formatNumber } from '../components/format.ts';
import { useLoaded } from '../components/loading/loaded.ts';
import { NotLoaded } from '../components/loading/not-loaded.tsx';
import { QueryView } from '../components/query-view.tsx';
import type { VerdictCode } from '../generated/graphql.ts';
import { type ChosenPeriod, usePeriod } from './period.tsx';
import {
  type Bar,
  barsOf,
  changeOf,
  figuresOf,
  type Hour,
  labelOf,
  percent,
  periodBefore,
  type Span,
  type Step,
  totalsOf,
  verdictColors,
  verdictName,
} from './usage-bars.ts';

/** Loaded on demand, because the chart library is a large part of the page's size. */
const loadChart = async () => (await import('./usage-chart.tsx')).UsageChart;

interface Source {
  readonly of: readonly string[];
  /** Reads a period that one call can return. */
  readonly read: (from: Date, to: Date, signal: AbortSignal) => Promise<Hour[]>;
}

/** With an input for the period. */
export function Use(source: Source) {
  const { span, input } = usePeriod();
  return (
    <Stack>
      {input}
      {span !== null && <UseIn {...source} span={span} />}
    </Stack>
  );
}

interface Props extends Source, Partial<Pick<ChosenPeriod, 'bar' | 'chooseBar'>> {
  readonly span: Span;
}

export function UseIn({ of, read, span, ...choice }: Props) {
  const query = useQuery({
    queryKey: ['use', ...of, span.from.getTime(), span.to.getTime()],
    queryFn: async ({ signal }) => {
      const before = periodBefore(span, Date.now());
      const readAll = async ({ from, to }: Pick<Span, 'from' | 'to'>) => {
        const parts = usagePeriods(from, to).map((part) => read(part.from, part.to, signal));
        return (await Promise.all(parts)).flat();
      };
      const [hours, hoursBefore] = await Promise.all([readAll(span), readAll(before)]);
      return { hours, hoursBefore };
    },
    refetchInterval: 30_000,
  });
  return <QueryView query={query}>{(data) => <Shown {...data} {...choice} span={span} />}</QueryView>;
}

interface ShownProps extends Omit<Props, keyof Source> {
  readonly hours: readonly Hour[];
  readonly hoursBefore: readonly Hour[];
}

function Shown({ hours, hoursBefore, span, bar = null, chooseBar }: ShownProps) {
  const { part: UsageChart, failed, retry } = useLoaded(loadChart, true);
  const { step } = span;
  const bars = barsOf(hours, span);
  const codes = totalsOf(hours).map(({ code }) => code);
  return (
    <>
      <Figures hours={hours} hoursBefore={hoursBefore} />
      {hours.length === 0 ? (
        <Text role="status">No verifications in this time.</Text>
      ) : (
        <>
          {/* Side by side only where the table needs no cards. */}
          <SimpleGrid type="container" cols={{ base: 1, '1000px': 2 }}>
            {UsageChart !== undefined && (
              <UsageChart bars={bars} step={step} codes={codes} bar={bar} chooseBar={chooseBar} />
            )}
            {UsageChart === undefined && (failed ? <NotLoaded what="The chart" retry={retry} /> : <Skeleton h={260} />)}
            <Verdicts hours={hours} hoursBefore={hoursBefore} />
          </SimpleGrid>
          <details>
            <summary>The chart as a table</summary>
            <BarTable
              bars={bars.filter((bar) => codes.some((code) => bar[code] !== undefined))}
              codes={codes}
              step={step}
              chooseBar={chooseBar}
            />
          </details>
        </>
      )}
    </>
  );
}

type Compared = Pick<ShownProps, 'hours' | 'hoursBefore'>;

function Figures({ hours, hoursBefore }: Compared) {
  return (
    <>
      <Group component="dl" gap="lg" m={0}>
        {figuresOf(hours, hoursBefore).map(({ name, value, change }) => (
          <div key={name}>
            <Text component="dt" size="sm" c="dimmed">
              {name}
            </Text>
            <Text component="dd" m={0} fz={28} lh={1.2} fw={600}>
              {value}
            </Text>
            <Text component="dd" m={0} size="sm" c="dimmed">
              {change}
            </Text>
          </div>
        ))}
      </Group>
      <Text size="xs" c="dimmed">
        Compared with the same length of time before.
      </Text>
    </>
  );
}

function Verdicts({ hours, hoursBefore }: Compared) {
  const totals = totalsOf(hours);
  const all = totals.reduce((sum, { count }) => sum + count, 0);
  const before = new Map(totalsOf(hoursBefore).map(({ code, count }) => [code, count]));
  return (
    <DataTable
      label="Verifications by verdict"
      rows={totals}
      idOf={({ code }) => code}
      columns={[
        { name: 'Verdict', cell: ({ code }) => <Verdict code={code} /> },
        { name: 'Calls', isNumber: true, cell: ({ count }) => formatNumber(count) },
        { name: 'Share', isNumber: true, cell: ({ count }) => percent(count, all) },
        { name: 'Change', isNumber: true, cell: ({ code, count }) => changeOf(count, before.get(code) ?? 0) },
      ]}
    />
  );
}

function Verdict({ code }: { readonly code: VerdictCode }) {
  return (
    <Group gap="xs" wrap="nowrap" align="baseline">
      <span
        aria-hidden
        className="swatch"
        style={{ flex: 'none', background: `var(--mantine-color-${verdictColors[code]})` }}
      />
      <span>
        {verdictName(code)} <CodeLink code={code} />
      </span>
    </Group>
  );
}

interface BarTableProps {
  readonly bars: readonly Bar[];
  readonly codes: readonly VerdictCode[];
  readonly step: Step;
  readonly chooseBar: ((at: number) => void) | undefined;
}

/** The numbers of the chart for keyboards, screen readers and the clipboard. */
function BarTable({ bars, codes, step, chooseBar }: BarTableProps) {
  return (
    <DataTable
      label="The chart as a table"
      rows={bars}
      idOf={({ at }) => at}
      columns={[
        {
          name: step === 'hour' ? 'Hour' : 'Day',
          cell: ({ at }) =>
            chooseBar === undefined ? (
              labelOf(at, step)
            ) : (
              <Button variant="subtle" size="compact-sm" onClick={() => chooseBar(at)}>
                {labelOf(at, step)}
              </Button>
            ),
        },
        ...codes.map((code) => ({
          name: verdictName(code),
          isNumber: true,
          cell: (bar: Bar) => formatNumber(bar[code] ?? 0),
        })),
      ]}
    />
  );
}
