/** The states of the keys as tabs, each with the number of its keys that match the rest of the filter. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { execute } from '../../api/execute.ts';
import { formatCount } from '../../components/format.ts';
import { StateCountsDocument } from '../../generated/graphql.ts';
import { nothingChosen } from './chosen.ts';
import { conditionsOf } from './key-filter.ts';
import { firstPage, type KeyQuery, listSearch } from './key-query.ts';
import { listStates, stateOf } from './key-states.ts';
import './filter.css';

interface Props {
  readonly teamId: string;
  readonly query: KeyQuery;
}

/** The most revoked keys that are counted. */
const maxCounted = 10_000;

export function StateTabs({ teamId, query: { search, chosen } }: Props) {
  const { state, sort, size, columns, view, after, page, ...conditions } = chosen;
  const { data: counts } = useQuery({
    queryKey: ['keys', teamId, 'counts', conditions],
    queryFn: async ({ signal }) => {
      const filter = conditionsOf({ ...nothingChosen, ...conditions });
      return (await execute(StateCountsDocument, { teamId, filter }, signal)).keysOverview;
    },
    placeholderData: (before) => before,
  });
  const current = stateOf(chosen);
  return (
    <nav className="state-tabs" aria-label="States">
      {listStates.map(({ value, label, count }) => (
        <Link
          key={value}
          to="/teams/$teamId/keys"
          params={{ teamId }}
          search={listSearch({ ...search, ...firstPage, state: value })}
          // A typed search stays. The cursors are those of another list.
          state={(kept) => ({ ...kept, cursors: [] })}
          aria-current={value === current.value ? 'page' : undefined}
          data-leaked={value === 'leaked' && (counts?.leaked ?? 0) > 0}
        >
          {label}
          <span>{counts === undefined ? '' : formatCount(count(counts), isPartial(value, counts))}</span>
        </Link>
      ))}
    </nav>
  );
}

function isPartial(state: string, { revoked, isPartial }: { readonly revoked: number; readonly isPartial: boolean }) {
  const isCut = revoked >= maxCounted;
  return state === 'revoked' ? isCut : isPartial || (state === 'all' && isCut);
}
