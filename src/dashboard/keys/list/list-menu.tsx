import { Button, Menu } from '@mantine/core';
import { useEffect, useState } from 'react';
import { cellsOf, exportColumns } from '../../../key-file/columns.ts';
import { csvOf } from '../../../key-file/csv.ts';
import { execute } from '../../api/execute.ts';
import { readPages } from '../../api/read-pages.ts';
import { ExportProgress, useExport } from '../../components/csv-export.tsx';
import { CopyItem, MenuItemLink, menuProps } from '../../components/menu.tsx';
import { useOpened } from '../../components/menu-on-demand.tsx';
import { ExportedKeysDocument } from '../../generated/graphql.ts';
import { filterOf } from '../filter/key-filter.ts';
import { type KeyQuery, linkToList } from '../filter/key-query.ts';
import { builtInViews, searchOfView, useSavedViews } from '../filter/saved-views.ts';
import { SavedViewsDialog } from '../filter/saved-views-dialog.tsx';
import { columns, useColumns } from './columns.tsx';

/** The largest page that the maximum cost of an operation permits. */
const pageSize = 50;

interface MenuProps {
  readonly teamId: string;
  readonly query: KeyQuery;
}

/** The list's columns, saved views and export. Loaded when the menu is first opened. */
export function ListMenu({ teamId, query }: MenuProps) {
  const [exporting, setExporting] = useState(false);
  const [saving, setSaving] = useState(false);
  const { shown, toggle } = useColumns(query);
  const [views] = useSavedViews(teamId);
  const { target, opened, setOpened } = useOpened();
  return (
    <>
      {exporting && <KeyExport teamId={teamId} query={query} close={() => setExporting(false)} />}
      <Menu {...menuProps} opened={opened} onChange={setOpened}>
        <Menu.Target>
          <Button ref={target} variant="default">
            Options
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah="70vh" style={{ overflowY: 'auto' }}>
          <Menu.Label hiddenFrom="md">Wider windows show more columns.</Menu.Label>
          {columns.map(({ id, label }) => (
            <Menu.CheckboxItem key={id} checked={shown.some((column) => column.id === id)} onChange={() => toggle(id)}>
              Column: {label}
            </Menu.CheckboxItem>
          ))}
          <Menu.Divider />
          {[...builtInViews, ...views].map((view) => (
            <MenuItemLink key={view.name} {...linkToList(teamId, searchOfView(view))} maw={280} className="breakable">
              {view.name}
            </MenuItemLink>
          ))}
          <Menu.Item onClick={() => setSaving(true)}>Saved views…</Menu.Item>
          <CopyItem label="Copy the link to this list" text={location.href} />
          <Menu.Divider />
          <Menu.Item onClick={() => setExporting(true)}>Export as CSV</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {saving && <SavedViewsDialog teamId={teamId} query={query} close={() => setSaving(false)} />}
    </>
  );
}

/** Exports all pages of the list as soon as it is shown, and shows the progress. */
function KeyExport({ teamId, query: { chosen, orderBy }, close }: MenuProps & { readonly close: () => void }) {
  const run = useExport({
    name: 'keys.csv',
    read: async (signal, onProgress) => {
      const filter = filterOf(chosen);
      // A sort by another field would be too much for one operation, and a file can be sorted again.
      const order = orderBy.field === 'NAME' ? orderBy : null;
      const readPage = async (after: string | null) =>
        (await execute(ExportedKeysDocument, { teamId, filter, orderBy: order, first: pageSize, after }, signal)).keys;
      return csvOf([exportColumns, ...(await readPages(readPage, onProgress)).map(cellsOf)]);
    },
  });
  const { start, isSuccess } = run;
  useEffect(() => start(), [start]);
  useEffect(() => {
    if (isSuccess) close();
  }, [isSuccess, close]);
  return <ExportProgress what="keys" run={run} close={close} />;
}
