import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import type { VerdictCode } from '../generated/graphql.ts';
import type { Bar } from './usage-bars.ts';
import { colorOf } from './verdict-colors.ts';

interface Props {
  readonly bars: readonly Bar[];
  readonly codes: readonly VerdictCode[];
}

/** The chart. A table next to it has the numbers for screen readers. */
export default function UsageChart({ bars, codes }: Props) {
  return (
    <div role="img" aria-label="Verifications by verdict; the table below has the sums">
      <BarChart
        h={260}
        type="stacked"
        data={[...bars]}
        dataKey="label"
        series={codes.map((name) => ({ name, color: colorOf(name).replace('-', '.') }))}
        valueFormatter={(value) => value.toLocaleString()}
        barChartProps={{ accessibilityLayer: false }}
        tickLine="y"
        yAxisProps={{ allowDecimals: false }}
      />
    </div>
  );
}
