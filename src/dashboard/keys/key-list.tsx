import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { useLocation } from 'react-router';
import { execute } from '../api/execute.ts';
import { keyList } from '../api/operations.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { useLoaded } from '../components/loaded.ts';
import { useMay } from '../session/viewer.ts';
import type { ChangeRequest } from './changes/change-dialog.tsx';
import type { ChangeKind } from './changes/change-kind.ts';
import { columns, useHiddenColumns } from './columns.tsx';
import { EmptyList } from './empty-list.tsx';
import { filterOf } from './key-filter.ts';
import type { KeyQuery } from './key-query.ts';
import { KeyTable } from './key-table.tsx';
import { rememberList } from './list-link.ts';
import { Pager } from './pager.tsx';
import { QuickChangeNotice, useQuickChange } from './quick-change.tsx';
import { viewOf } from './saved-views.ts';
import { useSelection } from './selection.ts';
import { SelectionBar } from './selection-bar.tsx';

interface Props {
  readonly teamId: string;
  readonly query: KeyQuery;
  readonly mayManage: boolean;
}

const loadDialog = async () => (await import('./changes/change-dialog.tsx')).ChangeDialog;

/** One page of keys, and what can be done with them. */
export function KeyList({ teamId, query, mayManage }: Props) {
  const { data, error, isFetching, isPlaceholderData, refetch } = useKeyPage(teamId, query);
  const [request, setRequest] = useState<ChangeRequest | null>(null);
  const { part: ChangeDialog, error: loadError } = useLoaded(loadDialog, request !== null);
  const selection = useSelection(viewOf({ ...query.chosen, sort: '', size: '' }));
  const quick = useQuickChange();
  const { renew, enable } = quick;
  const mayImport = useMay('import_keys', teamId);
  const [hidden] = useHiddenColumns();
  const shown = useMemo(() => columns.filter(({ id }) => !hidden.includes(id)), [hidden]);
  const actions = useMemo(
    () => ({
      renew,
      enable,
      ask: (kind: ChangeKind, { id }: { readonly id: string }) => setRequest({ kind, target: { ids: [id] } }),
    }),
    [renew, enable],
  );
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
      <QuickChangeNotice change={quick} />
      {mayManage && data !== undefined && (
        <SelectionBar selection={selection} total={data.totalCount} change={change} />
      )}
      {isEmpty && <EmptyList teamId={teamId} query={query} mayManage={mayManage} mayImport={mayImport} />}
      {!isEmpty && (data !== undefined || error === null) && (
        <KeyTable
          teamId={teamId}
          keys={data?.nodes}
          columns={shown}
          query={query}
          selection={selection}
          actions={mayManage ? actions : undefined}
          stale={isPlaceholderData}
        />
      )}
      {data !== undefined && !isEmpty && <Pager query={query} page={data} stale={isPlaceholderData} />}
      {loadError !== undefined && <ErrorNotice error={loadError} />}
      {request !== null && ChangeDialog !== undefined && <ChangeDialog request={request} close={close} />}
    </>
  );
}

function useKeyPage(teamId: string, { chosen, orderBy, pageSize }: KeyQuery) {
  const { search } = useLocation();

  useEffect(() => rememberList(teamId, search), [teamId, search]);

  const after = chosen.after === '' ? null : chosen.after;
  return useQuery({
    // Not the filter of the API: its times would change at every render.
    queryKey: ['keys', teamId, chosen],
    queryFn: async ({ signal }) => {
      const filter = filterOf(chosen);
      return (await execute(keyList, { teamId, first: pageSize, after, filter, orderBy }, signal)).keys;
    },
    placeholderData: keepPreviousData,
  });
}
