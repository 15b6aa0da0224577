/** The period that the numbers of a page are about, in the URL of the page. */
import { Group, NativeSelect, TextInput } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAtNow } from '../components/clock.ts';
import { barAt, type Range, ranges, type Span, spanOf, spanOfDays, startOfHour } from './usage-bars.ts';

export interface ChosenPeriod {
  /** Null until both days of a period of days are entered and valid. */
  readonly span: Span | null;
  /** The start of the hour or day that was chosen in a chart; null: the whole period. */
  readonly bar: number | null;
  readonly chooseBar: (at: number | null) => void;
  readonly input: ReactNode;
}

export function usePeriod(): ChosenPeriod {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  // Replaces the history entry, so that Back leaves the page instead of stepping through each day that was tried.
  const change = (period: string | undefined, at: number | null) => {
    const { period: _, bar: __, ...rest } = search;
    const bar = at === null ? {} : { bar: new Date(at).toISOString() };
    void navigate({ to: '.', search: { ...rest, ...(period === undefined ? {} : { period }), ...bar }, replace: true });
  };
  const chosen = chosenIn(search.period);
  const hour = useAtNow(startOfHour);
  const { span, problem } = spanOfChosen(chosen, hour);
  const choose = ({ range, first, last }: Chosen) => change(range === 'custom' ? `${first}..${last}` : range, null);
  return {
    span,
    // Of a link from another time zone, the bar can begin at another time.
    bar: span === null ? null : barAt(Date.parse(search.bar ?? ''), span),
    chooseBar: (at) => change(search.period, at),
    input: <PeriodInput chosen={chosen} choose={choose} problem={problem} />,
  };
}

interface Chosen {
  readonly range: Range | 'custom';
  /** The first and last day of a custom period, as `YYYY-MM-DD`. Empty until entered. */
  readonly first: string;
  readonly last: string;
}

const initial: Range = '24h';

function chosenIn(value: string = initial): Chosen {
  const range = ranges.find((range) => range === value);
  if (range !== undefined) return { range, first: '', last: '' };
  const [first = '', last = ''] = value.split('..').map((day) => (/^\d{4}-\d\d-\d\d$/.test(day) ? day : ''));
  return { range: 'custom', first, last };
}

/** Returns the span, or the problem with the entered days. Both are null while a day is missing. */
function spanOfChosen({ range, first, last }: Chosen, now: number) {
  if (range !== 'custom') return { span: spanOf(range, new Date(now)), problem: null };
  if (first === '' || last === '') return { span: null, problem: null };
  const span = spanOfDays(first, last);
  return typeof span === 'string' ? { span: null, problem: span } : { span, problem: null };
}

const labels: Readonly<Record<Range, string>> = {
  '24h': 'Last 24 hours',
  '48h': 'Last 48 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
};

interface InputProps {
  readonly problem: string | null;
  readonly chosen: Chosen;
  readonly choose: (chosen: Chosen) => void;
}

function PeriodInput({ chosen, choose, problem }: InputProps) {
  const select = (value: string) => choose({ ...chosen, range: ranges.find((range) => range === value) ?? 'custom' });
  const day = (name: 'first' | 'last', label: string) => (
    <TextInput
      type="date"
      label={label}
      value={chosen[name]}
      onChange={({ currentTarget }) => choose({ ...chosen, [name]: currentTarget.value })}
      error={name === 'last' && problem}
    />
  );
  return (
    <Group align="start" gap="xs">
      <NativeSelect
        label="Period"
        value={chosen.range}
        onChange={({ currentTarget }) => select(currentTarget.value)}
        data={[...ranges.map((value) => ({ value, label: labels[value] })), { value: 'custom', label: 'Custom…' }]}
      />
      {chosen.range === 'custom' && day('first', 'First day')}
      {chosen.range === 'custom' && day('last', 'Last day')}
    </Group>
  );
}
