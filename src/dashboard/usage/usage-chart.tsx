import { BarChart } from '@mantine/charts';
import { formatNumber } from '../components/format.ts';
import type { VerdictCode } from '../generated/graphql.ts';
import { type Bar, verdictColors } from './usage-bars.ts';

/** A chart whose bars can be reached with arrow keys. The tables below it have the numbers. */
export function UsageChart({ bars, codes }: { readonly bars: readonly Bar[]; readonly codes: readonly VerdictCode[] }) {
  return (
    <figure aria-label="Verifications by verdict; the tables below have the numbers" className="chart">
      <BarChart
        h={260}
        type="stacked"
        data={[...bars]}
        dataKey="label"
        series={codes.map((name) => ({ name, color: verdictColors[name].replace('-', '.') }))}
        valueFormatter={(value) => formatNumber(value)}
        barChartProps={{ accessibilityLayer: true, title: 'Verifications by verdict' }}
        tickLine="y"
        yAxisProps={{ allowDecimals: false }}
      />
    </figure>
  );
}
