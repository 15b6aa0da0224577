/** The calls of the last days of each key of a page, which are loaded after the page is shown. */
import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, use } from 'react';
import { execute } from '../../api/execute.ts';
import { formatNumber } from '../../components/format.ts';
import { KeyCallsDocument } from '../../generated/graphql.ts';
import type { KeyQuery } from '../filter/key-query.ts';
import { variablesOf } from './list-queries.tsx';

type Calls = ReadonlyMap<string, readonly number[]>;

const CallsContext = createContext<Calls | undefined>(undefined);

interface Props {
  readonly teamId: string;
  readonly query: KeyQuery;
  readonly isWanted: boolean;
  readonly children: ReactNode;
}

/** A context, so that the answer renders only the charts again and not the rows. */
export function CallsOfKeys({ teamId, query, isWanted, children }: Props) {
  const { data } = useQuery({
    queryKey: ['keys', teamId, query.chosen, 'calls'],
    queryFn: async ({ signal }): Promise<Calls> => {
      const { keys } = await execute(KeyCallsDocument, variablesOf(teamId, query), signal);
      return new Map(keys.nodes.map(({ id, callsByDay }) => [id, callsByDay ?? []]));
    },
    enabled: isWanted,
  });
  return <CallsContext value={data}>{children}</CallsContext>;
}

const barWidth = 6;
const height = 18;

/** A bar for each day. The text has what the chart shows, for screen readers and on hovering. */
export function Sparkline({ id }: { readonly id: string }) {
  const calls = use(CallsContext)?.get(id);
  if (calls === undefined || calls.length === 0) return null;
  const total = calls.reduce((sum, count) => sum + count, 0);
  const text = `${formatNumber(total)} calls in ${calls.length} days, ${formatNumber(calls.at(-1) ?? 0)} today`;
  return (
    <svg
      className="sparkline"
      role="img"
      width={calls.length * (barWidth + 2)}
      height={height}
      data-empty={total === 0}
    >
      <title>{text}</title>
      <path d={barsOf(calls)} />
    </svg>
  );
}

/** Returns the outline of the bars. A day with calls is at least 3 pixels high, a day without 1 pixel. */
function barsOf(calls: readonly number[]): string {
  const max = Math.max(...calls);
  return calls
    .map((count, day) => {
      const bar = count === 0 ? 1 : Math.max(3, Math.round((count / max) * height));
      return `M${day * (barWidth + 2)} ${height}v${-bar}h${barWidth}v${bar}z`;
    })
    .join('');
}
