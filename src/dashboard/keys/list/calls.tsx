/** The calls of the last days of each key of a page, which are loaded after the page is shown. */
import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, use } from 'react';
import { execute } from '../../api/execute.ts';
import { DayBars } from '../../components/day-bars.tsx';
import { formatCompact, formatNumber } from '../../components/format.ts';
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

/** A bar for each day, and the number of all: the bars of each key have a scale of their own. */
export function Sparkline({ id }: { readonly id: string }) {
  const calls = use(CallsContext)?.get(id);
  if (calls === undefined || calls.length === 0) return null;
  const total = calls.reduce((sum, count) => sum + count, 0);
  const today = formatNumber(calls.at(-1) ?? 0);
  const text = `${formatNumber(total)} calls in ${calls.length} days, accepted or rejected, ${today} today`;
  return (
    <span className="calls">
      <DayBars counts={calls} text={text} /> <span aria-hidden>{formatCompact(total)}</span>
    </span>
  );
}
