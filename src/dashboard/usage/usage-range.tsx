import { Group, NativeSelect, TextInput } from '@mantine/core';
import { useSearchParams } from 'react-router';
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

/**
 * Returns the period that the user chooses, which follows the clock; and the props of its input. The period is in the
 * URL, as a range or as `YYYY-MM-DD..YYYY-MM-DD`.
 */
export function useSpan(parameter: string, initial: Range): { readonly span: Span | null; readonly input: Props } {
  const [parameters, setParameters] = useSearchParams();
  const hour = useAtNow((now) => startOf('hour', new Date(now)).getTime());
  const chosen = chosenIn(parameters.get(parameter) ?? initial);
  const { range, first, last } = chosen;
  const choose = (chosen: Chosen) => {
    const value = chosen.range === 'custom' ? `${chosen.first}..${chosen.last}` : chosen.range;
    const changed = new URLSearchParams(parameters);
    changed.set(parameter, value);
    // Not in the history: Back should leave the page, and not go through each day that was tried.
    setParameters(changed, { replace: true, flushSync: true });
  };
  if (range !== 'custom') return { span: spanOf(range, new Date(hour)), input: { chosen, choose, problem: null } };
  // Not an error: the user has only begun.
  if (first === '' || last === '') return { span: null, input: { chosen, choose, problem: null } };
  const span = spanOfDays(first, last);
  if (typeof span === 'string') return { span: null, input: { chosen, choose, problem: span } };
  return { span, input: { chosen, choose, problem: null } };
}

function chosenIn(value: string): Chosen {
  const range = ranges.find((range) => range === value);
  if (range !== undefined) return { range, first: '', last: '' };
  const [first = '', last = ''] = value.split('..').map((day) => (/^\d{4}-\d\d-\d\d$/.test(day) ? day : ''));
  return { range: 'custom', first, last };
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
