import { ActionIcon, Button, Group, Menu, Text } from '@mantine/core';
import { Ellipsis } from '../components/icons.tsx';
import { ButtonLink } from '../components/links.tsx';
import { CopyItem, MenuItemLink, menuProps } from '../components/menu.tsx';
import { Moment } from '../components/moment.tsx';
import { EnvBadge, KeyStateDot } from '../components/state-dot.tsx';
import { renewalDays } from '../key-form/expiry.ts';
import { Copyable } from '../secrets/copyable.tsx';
import { fromServer } from '../server-values.ts';
import { useMay } from '../session/viewer.ts';
import type { Key, PartProps } from './key-change.ts';
import { focusTab } from './key-tab.ts';
import { useSources } from './sources/observed-sources.tsx';
import { CopySummary } from './summary/copy-summary.tsx';

/** What identifies the key, and whether and from where it is used. */
export function KeyStatus({ apiKey }: { readonly apiKey: Key }) {
  const { id, env, prefix, state, expiresAt, lastUsedAt } = apiKey;
  const { lastAccepted } = useSources(id);
  return (
    <Group gap="sm" className="key-status">
      <KeyStateDot state={state} expiresAt={expiresAt} />
      <EnvBadge env={env} />
      <Copyable what="the prefix" text={prefix} />
      <Text size="sm" c="dimmed" className="breakable">
        {lastUsedAt === null ? (
          'Never used'
        ) : (
          <>
            Last used <Moment at={lastUsedAt} />
            {lastAccepted !== undefined && ` from ${lastAccepted.address}`}
          </>
        )}
      </Text>
    </Group>
  );
}

export function KeyActions({ apiKey, ask }: Pick<PartProps, 'apiKey' | 'ask'>) {
  const { id, teamId, prefix, expiresAt, disabledAt, revokedAt } = apiKey;
  const mayManage = useMay('manage_keys', teamId);
  const editable = mayManage && revokedAt === null;
  const isDisabled = disabledAt !== null;
  return (
    <Group gap="xs" wrap="nowrap" className="key-actions">
      {editable && (
        <>
          <ButtonLink
            variant="default"
            replace
            to="/teams/$teamId/keys/$keyId"
            params={{ teamId, keyId: id }}
            search={{ tab: 'rotation' }}
            onClick={() => focusTab('rotation')}
          >
            Rotate
          </ButtonLink>
          <Button variant="default" onClick={() => ask(isDisabled ? 'enable' : 'disable')}>
            {isDisabled ? 'Enable' : 'Disable'}
          </Button>
        </>
      )}
      <Menu {...menuProps}>
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label="More actions">
            <Ellipsis size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <MenuItemLink to="/teams/$teamId/try" params={{ teamId }} search={{ prefix }}>
            Try
          </MenuItemLink>
          {mayManage && (
            <MenuItemLink to="/teams/$teamId/keys/new" params={{ teamId }} search={{ from: id }}>
              Duplicate
            </MenuItemLink>
          )}
          <Menu.Divider />
          <CopySummary apiKey={apiKey} />
          <CopyItem label="Copy key ID" text={id} />
          <CopyItem label="Copy team ID" text={teamId} />
          <CopyItem label="Copy curl command" text={showCommand()} />
          {editable && (
            <>
              <Menu.Divider />
              {expiresAt !== null && <Menu.Item onClick={() => ask('renew')}>Renew by {renewalDays} days…</Menu.Item>}
              <Menu.Item color="var(--mantine-color-error)" onClick={() => ask('revoke')}>
                Revoke…
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}

/** A command that shows a key to its holder. The secret is in a variable, not in the shell's history. */
const showCommand = () => `curl ${fromServer('verify-url')}/v1/keys/self ${fromServer('key-option')}`;
