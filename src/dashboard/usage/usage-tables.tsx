/** The numbers of a chart, for keyboards, screen readers and the clipboard. */
import { Group, Table } from '@mantine/core';
import { formatNumber } from '../components/format.ts';
import type { VerdictCode } from '../generated/graphql.ts';
import { type Bar, type Hour, type Step, totalsOf } from './usage-bars.ts';
import { colorOf } from './verdict-colors.ts';

/** The sums by verdict. */
export function Totals({ hours }: { readonly hours: readonly Hour[] }) {
  return (
    <Table maw={420} fz="sm" aria-label="Verifications by verdict">
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
            <Table.Td ta="right">{formatNumber(count)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

interface Props {
  readonly bars: readonly Bar[];
  readonly codes: readonly VerdictCode[];
  readonly step: Step;
}

/** One row for each bar that is not empty. */
export function BarTable({ bars, codes, step }: Props) {
  const used = bars.filter((bar) => codes.some((code) => bar[code] !== undefined));
  return (
    <details>
      <summary>The chart as a table</summary>
      <Table.ScrollContainer
        minWidth={320}
        scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': 'The chart as a table' } }}
      >
        <Table fz="sm" verticalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{step === 'hour' ? 'Hour' : 'Day'}</Table.Th>
              {codes.map((code) => (
                <Table.Th key={code} ta="right">
                  {code}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {used.map((bar) => (
              <Table.Tr key={bar.label}>
                <Table.Td>{bar.label}</Table.Td>
                {codes.map((code) => (
                  <Table.Td key={code} ta="right">
                    {formatNumber(Number(bar[code] ?? 0))}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </details>
  );
}
