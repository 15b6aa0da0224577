import { Menu } from '@mantine/core';
import { useAtNow } from '../../components/clock.ts';
import { CopyItem, MenuItemLink, menuProps } from '../../components/menu.tsx';
import { useOpened } from '../../components/menu-on-demand.tsx';
import { hasExpired, renewalDays } from '../../key-form/expiry.ts';
import { useIsQuickChanging } from '../changes/quick-change.ts';
import type { Key } from './columns.tsx';
import { type RowActions, RowMenuButton } from './row-menu-button.tsx';

interface Props {
  readonly teamId: string;
  readonly apiKey: Key;
  readonly actions: RowActions | undefined;
}

export function RowMenu({ teamId, apiKey, actions }: Props) {
  const { id, name, prefix } = apiKey;
  const { target, opened, setOpened } = useOpened();
  return (
    <Menu {...menuProps} opened={opened} onChange={setOpened}>
      <Menu.Target>
        <RowMenuButton ref={target} name={name} />
      </Menu.Target>
      <Menu.Dropdown>
        <CopyItem label="Copy id" text={id} />
        <CopyItem label="Copy prefix" text={prefix} />
        <MenuItemLink to="/teams/$teamId/try" params={{ teamId }} search={{ prefix }}>
          Try
        </MenuItemLink>
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

function Changes({ teamId, apiKey, actions: { renew, enable, confirm } }: ChangesProps) {
  const { id, state, expiresAt } = apiKey;
  const isChanging = useIsQuickChanging();
  const isExpired = useAtNow((now) => hasExpired(apiKey, now));
  return (
    <>
      <MenuItemLink to="/teams/$teamId/keys/new" params={{ teamId }} search={{ from: id }}>
        Duplicate
      </MenuItemLink>
      {state !== 'REVOKED' && (
        <>
          <MenuItemLink to="/teams/$teamId/keys/$keyId" params={{ teamId, keyId: id }} search={{ tab: 'rotation' }}>
            Rotate
          </MenuItemLink>
          {expiresAt != null && (
            <Menu.Item disabled={isChanging} onClick={() => renew(apiKey)}>
              {isExpired ? 'Renew…' : `Renew by ${renewalDays} days`}
            </Menu.Item>
          )}
          {state === 'DISABLED' ? (
            <Menu.Item
              disabled={isChanging}
              onClick={() => (apiKey.leak === null ? enable(apiKey) : confirm('enable', apiKey))}
            >
              {apiKey.leak === null ? 'Enable' : 'Enable…'}
            </Menu.Item>
          ) : (
            <Menu.Item onClick={() => confirm('disable', apiKey)}>Disable…</Menu.Item>
          )}
          <Menu.Item color="var(--mantine-color-error)" onClick={() => confirm('revoke', apiKey)}>
            Revoke…
          </Menu.Item>
        </>
      )}
    </>
  );
}
