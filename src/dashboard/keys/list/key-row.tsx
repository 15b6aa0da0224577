import { memo } from 'react';
import { hasPassed } from '../../../domain/moment.ts';
import { useAtNow } from '../../components/clock.ts';
import { formatTime } from '../../components/format.ts';
import { Lock } from '../../components/icons.tsx';
import { menuOnDemand } from '../../components/menu-on-demand.tsx';
import { KeyStateDot } from '../../components/state-dot.tsx';
import { RenewButton } from '../changes/renew-button.tsx';
import { type Column, type Key, visibleClass } from './columns.tsx';
import { type RowActions, RowMenuButton } from './row-menu-button.tsx';
import type { Select } from './selection.tsx';

interface CellsProps {
  readonly teamId: string;
  readonly apiKey: Key;
  readonly columns: readonly Column[];
  readonly actions: RowActions | undefined;
}

interface Props extends CellsProps {
  readonly selected: boolean;
  /** Whether all keys of the list are selected, including other pages. A single key can't be deselected then. */
  readonly fixed: boolean;
  readonly select: Select;
}

/** A row of plain elements, because Mantine's components take several times as long for a hundred rows. */
export const KeyTableRow = memo(function KeyTableRow({ selected, fixed, select, ...cells }: Props) {
  const { id, name } = cells.apiKey;
  return (
    <tr data-id={id} data-selected={selected}>
      {cells.actions !== undefined && (
        <td className="narrow">
          <input
            type="checkbox"
            aria-label={`Select ${name}`}
            checked={selected}
            disabled={fixed}
            title={fixed ? 'All keys are selected. To choose among them, clear the selection.' : undefined}
            tabIndex={-1}
            onChange={({ nativeEvent }) =>
              select(id, !selected, 'shiftKey' in nativeEvent && nativeEvent.shiftKey === true)
            }
          />
        </td>
      )}
      <Cells {...cells} />
    </tr>
  );
});

/** Memoized, so that cells do not render again when the user selects keys or while the next list loads. */
const Cells = memo(function Cells({ teamId, apiKey, columns, actions }: CellsProps) {
  const { id, name, prefix, state, expiresAt, signingEnabled } = apiKey;
  return (
    <>
      <td className="breakable">
        <div className="key-name">
          {/* The table navigates. The router's links would take several times as long for a hundred rows. */}
          <a className="clipped" href={`#/teams/${teamId}/keys/${id}`}>
            {name}
          </a>
          <span className="key-marks">
            <code>{prefix}</code>
            {signingEnabled && (
              <span role="img" aria-label="Requests must be signed" title="Requests must be signed">
                <Lock size={14} />
              </span>
            )}
            {apiKey.leak !== null && (
              <span className="env leaked" title={leakTitle(apiKey.leak)}>
                leaked
              </span>
            )}
            {(apiKey.previousSecretExpiresAt ?? apiKey.previousSigningSecretExpiresAt) != null && (
              <RotationMark apiKey={apiKey} />
            )}
          </span>
        </div>
      </td>
      <td>
        <KeyStateDot state={state} expiresAt={expiresAt} />
      </td>
      {columns.map(({ id, label, visibleFrom, cell }) => (
        <td key={id} data-label={label} className={visibleClass(visibleFrom)}>
          {cell(apiKey)}
          {id === 'expires' && actions !== undefined && (
            <RenewButton apiKey={apiKey} renew={actions.renew} tabIndex={-1} />
          )}
        </td>
      ))}
      <td className="narrow">
        <RowMenu teamId={teamId} apiKey={apiKey} actions={actions} />
      </td>
    </>
  );
});

function leakTitle({ secret, reportedAt }: NonNullable<Key['leak']>): string {
  return `The ${secret.toLowerCase()} secret was reported as leaked at ${formatTime(new Date(reportedAt))}`;
}

/** Says that a previous secret is still accepted, until it is not. */
function RotationMark({ apiKey }: { readonly apiKey: Key }) {
  const { previousSecretExpiresAt, previousSigningSecretExpiresAt, state } = apiKey;
  const ends = [previousSecretExpiresAt, previousSigningSecretExpiresAt].map((end) => Date.parse(end ?? '') || 0);
  const end = Math.max(...ends);
  const isRotating = useAtNow((now) => !hasPassed(end, now));
  if (!isRotating) return null;
  const accepted = `The previous secret is accepted${state === 'DISABLED' ? ', once the key is enabled,' : ''}`;
  return (
    <span className="env" title={`${accepted} until ${formatTime(new Date(end))}`}>
      rotating
    </span>
  );
}

const RowMenu = menuOnDemand<Omit<CellsProps, 'columns'>>(
  async () => (await import('./row-menu.tsx')).RowMenu,
  ({ apiKey, open }) => <RowMenuButton name={apiKey.name} onClick={open} />,
);
