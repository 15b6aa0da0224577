import { Button, Menu } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import type { KeyQuery } from '../filter/key-query.ts';
import { useSavedViews } from '../filter/saved-views.ts';
import { SavedViewsDialog } from '../filter/saved-views-dialog.tsx';
import { columns, useHiddenColumns } from './columns.tsx';
import { KeyExport } from './key-export.tsx';
import { CopyItem, useLoadedMenu } from './loaded-menu.tsx';

/** The columns, saved filters and export of the list. Loaded when it is first opened. */
export function ListMenu({ teamId, query }: { readonly teamId: string; readonly query: KeyQuery }) {
  const [exporting, setExporting] = useState(false);
  const [saving, setSaving] = useState(false);
  const [hidden, setHidden] = useHiddenColumns();
  const [views] = useSavedViews(teamId);
  const { target, menu } = useLoadedMenu();
  return (
    <>
      {exporting && <KeyExport teamId={teamId} query={query} close={() => setExporting(false)} />}
      <Menu {...menu}>
        <Menu.Target>
          <Button ref={target} variant="default">
            Options
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah="70vh" style={{ overflowY: 'auto' }}>
          <Menu.Label hiddenFrom="md">Wider windows show more columns.</Menu.Label>
          {columns.map(({ id, label }) => (
            <Menu.CheckboxItem
              key={id}
              checked={!hidden.includes(id)}
              onChange={(shown) => setHidden(shown ? hidden.filter((other) => other !== id) : [...hidden, id])}
            >
              Column: {label}
            </Menu.CheckboxItem>
          ))}
          <Menu.Divider />
          {views.map(({ name, search }) => (
            <Menu.Item
              key={name}
              component={Link}
              to={`/teams/${teamId}/keys?${search}`}
              maw={280}
              className="breakable"
            >
              {name}
            </Menu.Item>
          ))}
          <Menu.Item onClick={() => setSaving(true)}>Saved filters…</Menu.Item>
          <CopyItem label="Copy the link to this list" text={location.href} />
          <Menu.Divider />
          <Menu.Item onClick={() => setExporting(true)}>Export as CSV</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {saving && <SavedViewsDialog teamId={teamId} query={query} close={() => setSaving(false)} />}
    </>
  );
}
