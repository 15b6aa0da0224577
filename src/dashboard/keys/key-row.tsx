import { Anchor, Button, Code, Table } from '@mantine/core';
import { lazy, memo, Suspense, useState } from 'react';
import { Link } from 'react-router';
import { useAtNow } from '../components/clock.ts';
import { StateBadge } from '../components/key-facts.tsx';
import type { Column, Key } from './columns.tsx';
import { isExpiring } from './renewal.ts';
import type { RowActions } from './row-actions.ts';
import { RowMenuButton } from './row-menu-button.tsx';

interface Props {
  readonly teamId: string;
  readonly apiKey: Key;
  readonly columns: readonly Column[];
  readonly selected: boolean;
  readonly toggle: (ids: readonly string[], selected: boolean) => void;
  /** Undefined if the session may not change keys. */
  readonly actions: RowActions | undefined;
}

export const KeyTableRow = memo(function KeyTableRow(props: Props) {
  const { teamId, apiKey, columns, selected, toggle, actions } = props;
  const { id, name, prefix, state, expiresAt } = apiKey;
  return (
    <Table.Tr data-id={id} data-selected={selected}>
      {actions !== undefined && (
        <Table.Td className="narrow">
          <input
            type="checkbox"
            aria-label={`Select ${name}`}
            checked={selected}
            onChange={() => toggle([id], !selected)}
          />
        </Table.Td>
      )}
      <Table.Td className="breakable">
        <div className="key-name">
          <Anchor component={Link} to={`/teams/${teamId}/keys/${id}`} size="sm" fw={500}>
            {name}
          </Anchor>
          <Code className="nowrap">{prefix}</Code>
        </div>
      </Table.Td>
      <Table.Td>
        <StateBadge state={state} expiresAt={expiresAt} />
      </Table.Td>
      {columns.map(({ id, visibleFrom, cell }) => (
        <Table.Td key={id} visibleFrom={visibleFrom}>
          {cell(apiKey)}
          {id === 'expires' && actions !== undefined && <Renew apiKey={apiKey} renew={actions.renew} />}
        </Table.Td>
      ))}
      <Table.Td className="narrow">
        <Menu teamId={teamId} apiKey={apiKey} actions={actions} />
      </Table.Td>
    </Table.Tr>
  );
});

/** Extends a key that expires soon, with one click. */
function Renew({ apiKey, renew }: { readonly apiKey: Key; readonly renew: (key: Key) => void }) {
  const expiring = useAtNow((now) => isExpiring(apiKey, now));
  if (!expiring) return null;
  return (
    <Button size="compact-xs" variant="subtle" aria-label={`Renew ${apiKey.name}`} onClick={() => renew(apiKey)}>
      Renew
    </Button>
  );
}

const RowMenu = lazy(async () => ({ default: (await import('./row-menu.tsx')).RowMenu }));

type MenuProps = Pick<Props, 'teamId' | 'apiKey' | 'actions'>;

/** Only a button until it is first used: a hundred menus would slow down the page. */
function Menu(props: MenuProps) {
  const [used, setUsed] = useState(false);
  const button = <RowMenuButton name={props.apiKey.name} onClick={() => setUsed(true)} />;
  if (!used) return button;
  return (
    <Suspense fallback={button}>
      <RowMenu {...props} />
    </Suspense>
  );
}
