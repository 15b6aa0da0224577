import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useLoaded } from '../../components/loading/loaded.ts';
import { NotLoaded } from '../../components/loading/not-loaded.tsx';
import { hasExpired } from '../../key-form/expiry.ts';
import type { ChangeKind } from '../changes/change.ts';
import type { ChangeRequest } from '../changes/change-dialog.tsx';
import { useQuickChange } from '../changes/quick-change.ts';
import { filterOf } from '../filter/key-filter.ts';
import { type KeyQuery, rememberList } from '../filter/key-query.ts';
import { viewOf } from '../filter/saved-views.ts';
import { CallsOfKeys } from './calls.tsx';
import { type Key, useColumns } from './columns.tsx';
import { EmptyList } from './empty-list.tsx';
import { KeyTable } from './key-table.tsx';
import { useKeyPage } from './list-queries.tsx';
import { Pager } from './pager.tsx';
import { SelectionBar, useSelection } from './selection.tsx';

interface Props {
  readonly teamId: string;
  readonly query: KeyQuery;
  readonly mayManage: boolean;
}

const loadOutcome = async () => (await import('./search-outcome.tsx')).SearchOutcome;
const loadDialog = async () => (await import('../changes/change-dialog.tsx')).ChangeDialog;

export function KeyList({ teamId, query, mayManage }: Props) {
  const { search, cursors, isTyped } = query;
  const searched = isTyped ? query.chosen.search : '';
  useEffect(() => rememberList(teamId, search, cursors, searched), [teamId, search, cursors, searched]);
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery({
    ...useKeyPage(teamId, query),
    // Shows the previous page until the next one has loaded. An empty previous page would look like the result.
    placeholderData: (before) => (before?.nodes.length === 0 ? undefined : before),
  });
  const [request, setRequest] = useState<ChangeRequest | null>(null);
  const { part: ChangeDialog, failed, retry } = useLoaded(loadDialog, request !== null);
  const { part: SearchOutcome } = useLoaded(loadOutcome, query.chosen.search !== '');
  const selection = useSelection(viewOf({ ...query.chosen, sort: '', size: '', columns: '', view: '' }));
  const { renew, enable } = useQuickChange(teamId);
  const { shown } = useColumns(query);
  const actions = useMemo(() => {
    const confirm = (kind: ChangeKind, { id }: Key) => setRequest({ kind, target: { ids: [id] } });
    return {
      renew: (key: Key) => (hasExpired(key, Date.now()) ? confirm('renew', key) : renew(key)),
      enable,
      confirm,
    };
  }, [renew, enable]);
  const change = (kind: ChangeKind) => {
    const target = selection.all ? { teamId, filter: filterOf(query.chosen) } : { ids: [...selection.ids] };
    setRequest({ kind, target });
  };
  const close = (started: boolean) => {
    setRequest(null);
    if (started) selection.clear();
  };
  const isEmpty = data?.nodes.length === 0;
  return (
    <>
      {error !== null && <ErrorNotice error={error} retry={refetch} retrying={isFetching} />}
      {mayManage && data !== undefined && (
        <SelectionBar
          selection={selection}
          total={data.totalCount}
          totalIsPartial={data.totalCountIsPartial}
          change={change}
        />
      )}
      {SearchOutcome !== undefined && query.chosen.search !== '' && (
        <SearchOutcome teamId={teamId} query={query} listed={isPlaceholderData ? undefined : data?.nodes} />
      )}
      {isEmpty && (
        <EmptyList
          teamId={teamId}
          query={query}
          next={data.pageInfo.hasNextPage ? (data.pageInfo.endCursor ?? null) : null}
        />
      )}
      {!isEmpty && (data !== undefined || error === null) && (
        <CallsOfKeys
          teamId={teamId}
          query={query}
          isWanted={data !== undefined && !isPlaceholderData && shown.some(({ id }) => id === 'calls')}
        >
          <KeyTable
            teamId={teamId}
            keys={data?.nodes}
            columns={shown}
            query={query}
            selection={selection}
            actions={mayManage ? actions : undefined}
            stale={isPlaceholderData}
          />
        </CallsOfKeys>
      )}
      {data !== undefined && !isEmpty && <Pager query={query} page={data} stale={isPlaceholderData} />}
      {request !== null && failed && <NotLoaded what="The dialog" retry={retry} />}
      {request !== null && ChangeDialog !== undefined && (
        <ChangeDialog teamId={teamId} request={request} close={close} />
      )}
    </>
  );
}
