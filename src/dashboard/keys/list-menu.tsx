import { Button, Menu } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { lazy, Suspense, useState } from 'react';
import { Link } from 'react-router';
import { columns, useHiddenColumns } from './columns.tsx';
import { KeyExport } from './key-export.tsx';
import type { KeyQuery } from './key-query.ts';
import { useSavedViews } from './saved-views.ts';

interface Props {
  readonly teamId: string;
  readonly query: KeyQuery;
}

const SavedViewsDialog = lazy(async () => ({ default: (await import('./saved-views-dialog.tsx')).SavedViewsDialog }));

/** The columns, saved filters and export of the list. */
export function ListMenu({ teamId, query }: Props) {
  const [exporting, setExporting] = useState(false);
  const [saving, setSaving] = useState(false);
  const clipboard = useClipboard();
  return (
    <>
      {exporting && <KeyExport teamId={teamId} query={query} close={() => setExporting(false)} />}
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default">List</Button>
        </Menu.Target>
        <Menu.Dropdown mah="70vh" style={{ overflowY: 'auto' }}>
          <Columns />
          <Menu.Divider />
          <Menu.Label>Filters</Menu.Label>
          <Views teamId={teamId} />
          <Menu.Item onClick={() => setSaving(true)}>Saved filters…</Menu.Item>
          <Menu.Item onClick={() => clipboard.copy(location.href)}>Copy the link to this list</Menu.Item>
          <Menu.Divider />
          <Menu.Item onClick={() => setExporting(true)}>Export as CSV</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {saving && (
        <Suspense>
          <SavedViewsDialog teamId={teamId} query={query} close={() => setSaving(false)} />
        </Suspense>
      )}
    </>
  );
}

function Columns() {
  const [hidden, setHidden] = useHiddenColumns();
  return (
    <>
      <Menu.Label>Columns</Menu.Label>
      {columns.map(({ id, label }) => (
        <Menu.CheckboxItem
          key={id}
          checked={!hidden.includes(id)}
          onChange={(shown) => setHidden(shown ? hidden.filter((other) => other !== id) : [...hidden, id])}
        >
          {label}
        </Menu.CheckboxItem>
      ))}
    </>
  );
}

function Views({ teamId }: { readonly teamId: string }) {
  const [views] = useSavedViews(teamId);
  return views.map(({ name, search }) => (
    <Menu.Item key={name} component={Link} to={`/teams/${teamId}/keys?${search}`} maw={280} className="breakable">
      {name}
    </Menu.Item>
  ));
}
