import { Menu } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { Link } from 'react-router';
import type { Key } from './columns.tsx';
import { renewalDays } from './renewal.ts';
import type { RowActions } from './row-actions.ts';
import { RowMenuButton } from './row-menu-button.tsx';
import { useLoadedMenu } from './use-menu.ts';

interface Props {
  readonly teamId: string;
  readonly apiKey: Key;
  readonly actions: RowActions | undefined;
}

/** What can be done with one key. Loaded when the user first asks for it. */
export function RowMenu({ teamId, apiKey, actions }: Props) {
  const { id, name, prefix } = apiKey;
  const { target, menu } = useLoadedMenu();
  const clipboard = useClipboard();

  return (
    <Menu {...menu}>
      <Menu.Target>
        <RowMenuButton ref={target} name={name} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => clipboard.copy(id)}>Copy id</Menu.Item>
        <Menu.Item onClick={() => clipboard.copy(prefix)}>Copy prefix</Menu.Item>
        <Menu.Item component={Link} to={`/teams/${teamId}/try?prefix=${encodeURIComponent(prefix)}`}>
          Try
        </Menu.Item>
        {actions !== undefined && <Changes teamId={teamId} apiKey={apiKey} actions={actions} />}
      </Menu.Dropdown>
    </Menu>
  );
}

interface ChangesProps {
  readonly teamId: string;
  readonly apiKey: Key;
  readonly actions: RowActions;
}

function Changes({ teamId, apiKey, actions: { renew, enable, ask } }: ChangesProps) {
  const { id, state, expiresAt } = apiKey;
  return (
    <>
      <Menu.Item component={Link} to={`/teams/${teamId}/keys/new?from=${id}`}>
        Duplicate
      </Menu.Item>
      {state !== 'REVOKED' && (
        <>
          {state !== 'DISABLED' && (
            <Menu.Item component={Link} to={`/teams/${teamId}/keys/${id}?part=rotate`}>
              Rotate
            </Menu.Item>
          )}
          {expiresAt != null && <Menu.Item onClick={() => renew(apiKey)}>Renew by {renewalDays} days</Menu.Item>}
          {state === 'DISABLED' ? (
            <Menu.Item onClick={() => enable(apiKey)}>Enable</Menu.Item>
          ) : (
            <Menu.Item onClick={() => ask('disable', apiKey)}>Disable…</Menu.Item>
          )}
          <Menu.Item color="var(--mantine-color-error)" onClick={() => ask('revoke', apiKey)}>
            Revoke…
          </Menu.Item>
        </>
      )}
    </>
  );
}
