import { BarChart } from '@mantine/charts';
import { formatNumber } from '../components/format.ts';
import type { VerdictCode } from '../generated/graphql.ts';
import { type Bar, labelOf, type Step, tickLabelOf, ticksOf, verdictColors, verdictName } from './usage-bars.ts';

interface Props {
  readonly bars: readonly Bar[];
  readonly step: Step;
  readonly codes: readonly VerdictCode[];
  /** The chosen bar, which is marked. */
  readonly bar: number | null;
  readonly chooseBar: ((at: number) => void) | undefined;
}

/** Short, because the labels of the axis have little room. */
const compact = new Intl.NumberFormat('en-GB', { notation: 'compact', maximumFractionDigits: 1 }).format;

/** A chart whose bars can be reached with arrow keys. The tables beside it have the numbers, and choose bars too. */
export function UsageChart({ bars, step, codes, bar, chooseBar }: Props) {
  // Without a number, a bar has no background to click.
  const none = Object.fromEntries(codes.map((code) => [code, 0]));
  return (
    <figure aria-label="Verifications by verdict; the tables have the numbers" className="chart">
      <BarChart
        h={260}
        type="stacked"
        data={bars.map((bar) => ({ ...none, ...bar }))}
        dataKey="at"
        series={codes.map((name) => ({
          name,
          label: verdictName(name),
          color: verdictColors[name].replace('-', '.'),
        }))}
        valueFormatter={formatNumber}
        barChartProps={{ accessibilityLayer: true, title: 'Verifications by verdict' }}
        // With the background, because a part of a bar can be too small to hit. The events of the whole chart have the bar
        // that was hovered before.
        barProps={{
          background: { fill: 'transparent' },
          onClick: ({ payload }) => chooseBar?.(payload.at),
          cursor: chooseBar && 'pointer',
        }}
        tickLine="xy"
        // Each of these labels is shown. By default, labels that seem to have no room are left out.
        xAxisProps={{ ticks: ticksOf(bars, step), interval: 0, tickFormatter: (at) => tickLabelOf(at, step) }}
        yAxisProps={{ allowDecimals: false, interval: 0, tickFormatter: compact, width: 44 }}
        // While nothing is hovered, there is no label.
        tooltipProps={{ labelFormatter: (at) => (at == null ? '' : labelOf(Number(at), step)) }}
        referenceLines={bar === null ? [] : [{ x: bar, color: 'blue.6' }]}
      />
    </figure>
  );
}
