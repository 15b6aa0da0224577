import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import type { VerdictCode } from '../generated/graphql.ts';
import type { Bar } from './usage-bars.ts';
import { colorOf } from './verdict-colors.ts';

interface Props {
  readonly bars: readonly Bar[];
  readonly codes: readonly VerdictCode[];
}

/** The numbers stand in a table beside it, for those who don't see it. */
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
