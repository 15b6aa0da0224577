import { memo, useState } from 'react';
import { Link } from 'react-router';
import { useAtNow } from '../components/clock.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { StateBadge } from '../components/key-facts.tsx';
import { useLoaded } from '../components/loaded.ts';
import type { Column, Key } from './columns.tsx';
import { isExpiring } from './renewal.ts';
import type { RowActions } from './row-actions.ts';
import { RowMenuButton } from './row-menu-button.tsx';

interface CellsProps {
  readonly teamId: string;
  readonly apiKey: Key;
  readonly columns: readonly Column[];
  /** Undefined if the session may not change keys. */
  readonly actions: RowActions | undefined;
}

interface Props extends CellsProps {
  readonly selected: boolean;
  readonly toggle: (ids: readonly string[], selected: boolean) => void;
}

/** A row of plain elements: the components of the library take several times as long for a hundred rows. */
export const KeyTableRow = memo(function KeyTableRow({ selected, toggle, ...cells }: Props) {
  const { id, name } = cells.apiKey;
  return (
    <tr data-id={id} data-selected={selected}>
      {cells.actions !== undefined && (
        <td className="narrow">
          <input
            type="checkbox"
            aria-label={`Select ${name}`}
            checked={selected}
            onChange={() => toggle([id], !selected)}
          />
        </td>
      )}
      <Cells {...cells} />
    </tr>
  );
});

/** Not rendered again when the key is selected. */
const Cells = memo(function Cells({ teamId, apiKey, columns, actions }: CellsProps) {
  const { id, name, prefix, state, expiresAt } = apiKey;
  return (
    <>
      <td className="breakable">
        <div className="key-name">
          <Link to={`/teams/${teamId}/keys/${id}`}>{name}</Link>
          <code>{prefix}</code>
        </div>
      </td>
      <td>
        <StateBadge state={state} expiresAt={expiresAt} />
      </td>
      {columns.map(({ id, visibleFrom, cell }) => (
        <td key={id} className={`from-${visibleFrom}`}>
          {cell(apiKey)}
          {id === 'expires' && actions !== undefined && <Renew apiKey={apiKey} renew={actions.renew} />}
        </td>
      ))}
      <td className="narrow">
        <RowMenu teamId={teamId} apiKey={apiKey} actions={actions} />
      </td>
    </>
  );
});

/** Extends a key that expires soon, with one click. */
function Renew({ apiKey, renew }: { readonly apiKey: Key; readonly renew: (key: Key) => void }) {
  const expiring = useAtNow((now) => isExpiring(apiKey, now));
  if (!expiring) return null;
  return (
    <button type="button" className="renew" aria-label={`Renew ${apiKey.name}`} onClick={() => renew(apiKey)}>
      Renew
    </button>
  );
}

const loadMenu = async () => (await import('./row-menu.tsx')).RowMenu;

/** Only a button until it is first used. */
function RowMenu(props: Omit<CellsProps, 'columns'>) {
  const [used, setUsed] = useState(false);
  const { part: Menu, error } = useLoaded(loadMenu, used);
  if (Menu !== undefined) return <Menu {...props} />;
  if (error !== undefined) return <ErrorNotice error={error} />;
  return <RowMenuButton name={props.apiKey.name} onClick={() => setUsed(true)} />;
}
