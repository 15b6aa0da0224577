import { Group, NativeSelect, TextInput } from '@mantine/core';
import { type Range, ranges, type Span, spanOf, spanOfDays } from './usage-bars.ts';

export interface Chosen {
  readonly range: Range | 'custom';
  /** The days of a custom period, as `YYYY-MM-DD`. */
  readonly first: string;
  readonly last: string;
}

interface Props {
  readonly chosen: Chosen;
  readonly choose: (chosen: Chosen) => void;
  /** What is wrong with a custom period. */
  readonly problem: string | null;
}

const labels: Readonly<Record<Range, string>> = {
  '24h': 'Last 24 hours',
  '48h': 'Last 48 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
};

/** Returns the chosen period, or what is wrong with it. */
export function spanChosen({ range, first, last }: Chosen, now: Date): Span | string {
  return range === 'custom' ? spanOfDays(first, last) : spanOf(range, now);
}

export function RangeInput({ chosen, choose, problem }: Props) {
  const select = (value: string) => choose({ ...chosen, range: ranges.find((range) => range === value) ?? 'custom' });
  return (
    <Group align="start" gap="xs">
      <NativeSelect
        label="Period"
        value={chosen.range}
        onChange={({ currentTarget }) => select(currentTarget.value)}
        data={[...ranges.map((value) => ({ value, label: labels[value] })), { value: 'custom', label: 'Custom…' }]}
      />
      {chosen.range === 'custom' && (
        <>
          <TextInput
            type="date"
            label="First day"
            value={chosen.first}
            onChange={({ currentTarget }) => choose({ ...chosen, first: currentTarget.value })}
          />
          <TextInput
            type="date"
            label="Last day"
            value={chosen.last}
            onChange={({ currentTarget }) => choose({ ...chosen, last: currentTarget.value })}
            error={problem}
          />
        </>
      )}
    </Group>
  );
}
