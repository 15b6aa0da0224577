import { Group, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useAtNow } from '../components/clock.ts';
import { type Range, ranges, type Span, spanOf, spanOfDays, startOf } from './usage-bars.ts';

interface Chosen {
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

/** Returns the period that the user chooses, which follows the clock; and the props of its input. */
export function useSpan(initial: Range): { readonly span: Span | null; readonly input: Props } {
  const [chosen, choose] = useState<Chosen>({ range: initial, first: '', last: '' });
  const hour = useAtNow((now) => startOf('hour', new Date(now)).getTime());
  const { range, first, last } = chosen;
  const span = range === 'custom' ? spanOfDays(first, last) : spanOf(range, new Date(hour));
  if (typeof span === 'string') return { span: null, input: { chosen, choose, problem: span } };
  return { span, input: { chosen, choose, problem: null } };
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
