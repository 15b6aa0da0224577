/** A part of a page with data of a period that the user chooses. */
import { Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAtNow } from '../components/clock.ts';
import { QueryView } from '../components/query-view.tsx';
import { type Range, ranges, type Span, spanOf, spanOfDays, startOfHour } from './usage-bars.ts';

type Parameter = 'period' | 'rejected';

interface Props<Data> {
  /** The URL parameter with the period: a range, or `YYYY-MM-DD..YYYY-MM-DD`. */
  readonly parameter: Parameter;
  readonly initial: Range;
  readonly queryKey: readonly string[];
  readonly read: (from: Date, to: Date, signal: AbortSignal) => Promise<Data>;
  readonly children: (data: Data, span: Span) => ReactNode;
}

export function ByPeriod<Data>({ parameter, initial, queryKey, read, children }: Props<Data>) {
  const { chosen, choose } = useChosen(parameter, initial);
  const hour = useAtNow(startOfHour);
  const { span, problem } = spanOfChosen(chosen, hour);
  const query = useQuery({
    queryKey: [...queryKey, span?.from.getTime(), span?.to.getTime()],
    queryFn: ({ signal }) =>
      span === null ? Promise.reject(new Error('no period')) : read(span.from, span.to, signal),
    enabled: span !== null,
    refetchInterval: 30_000,
  });
  return (
    <Stack>
      <PeriodInput chosen={chosen} choose={choose} problem={problem} />
      {span !== null && <QueryView query={query}>{(data) => children(data, span)}</QueryView>}
    </Stack>
  );
}

interface Chosen {
  readonly range: Range | 'custom';
  /** The first and last day of a custom period, as `YYYY-MM-DD`. Empty until entered. */
  readonly first: string;
  readonly last: string;
}

function useChosen(parameter: Parameter, initial: Range) {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const choose = ({ range, first, last }: Chosen) => {
    // Replaces the history entry, so that Back leaves the page instead of stepping through each day that was tried.
    const value = range === 'custom' ? `${first}..${last}` : range;
    void navigate({ to: '.', search: { ...search, [parameter]: value }, replace: true });
  };
  return { chosen: chosenIn(search[parameter] ?? initial), choose };
}

function chosenIn(value: string): Chosen {
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
