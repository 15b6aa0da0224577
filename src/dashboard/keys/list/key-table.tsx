import { Skeleton, VisuallyHidden } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type MouseEvent, useDeferredValue, useRef, useState } from 'react';
import { Clipped, WholeText } from '../../components/clipped.tsx';
import { ArrowDown, ArrowUp, ChevronsUpDown } from '../../components/icons.tsx';
import { withValue } from '../filter/chosen.ts';
import type { KeyQuery } from '../filter/key-query.ts';
import { type Column, type Key, visibleClass } from './columns.tsx';
import { filterClicked } from './filter-value.tsx';
import { KeyTableRow } from './key-row.tsx';
import { useRowKeys } from './row-keys.ts';
import type { RowActions } from './row-menu-button.tsx';
import { type Selection, useSelect } from './selection.tsx';

interface Props {
  readonly teamId: string;
  readonly keys: readonly Key[] | undefined;
  readonly columns: readonly Column[];
  readonly query: KeyQuery;
  readonly selection: Selection;
  /** Undefined if the session may not change keys. */
  readonly actions: RowActions | undefined;
  /** Whether the keys belong to the previous query, while the current one is loading. */
  readonly stale: boolean;
}

export function KeyTable({ teamId, keys, columns, query, selection, actions, stale }: Props) {
  const [isFirst] = useState(keys === undefined);
  const navigate = useNavigate();
  const area = useRef<HTMLElement>(null);
  const table = useRef<HTMLTableElement>(null);
  useRowKeys(table);
  const isRoomy = sharingOf(columns) === 0;
  const open = (event: MouseEvent) => {
    const filter = filterClicked(event);
    if (filter !== null) return query.choose(withValue(query.chosen, filter.criterion, filter.value));
    const id = rowClicked(event);
    if (id === undefined) return;
    event.preventDefault();
    void navigate({ to: '/teams/$teamId/keys/$keyId', params: { teamId, keyId: id } });
  };
  return (
    <section ref={area} aria-label="Keys">
      <table ref={table} className="keys" aria-busy={stale || keys === undefined} data-stale={stale}>
        <thead>
          <tr>
            {actions !== undefined && <SelectPage keys={keys} selection={selection} stale={stale} />}
            <Header label="Name" sort="NAME" width={nameWidth(columns)} query={query} />
            <Header label="State" width={84} query={query} />
            {columns.map(({ id, width, roomyWidth = width, ...column }) => (
              <Header key={id} {...column} width={isRoomy ? roomyWidth : width} query={query} />
            ))}
            <th className="narrow">
              <VisuallyHidden>Actions</VisuallyHidden>
            </th>
          </tr>
        </thead>
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the link in each row does the same. */}
        <tbody onClick={open}>
          {keys === undefined ? (
            <Waiting columns={columns.length + 4} />
          ) : (
            <Body
              {...{ teamId, keys, columns, selection, actions, stale }}
              // A list from the cache is drawn completely, so that the browser can restore the scroll position.
              atOnce={isFirst ? firstRows : keys.length}
            />
          )}
        </tbody>
      </table>
      <WholeText within={area} />
    </section>
  );
}

/** The number of columns that share what the others leave. */
const sharingOf = (columns: readonly Column[]) => columns.filter(({ width }) => width === undefined).length;

/** Names are wider than the other columns without a width of their own. */
function nameWidth(columns: readonly Column[]): string | undefined {
  const sharing = sharingOf(columns);
  return sharing === 0 ? undefined : `${Math.max(12, 30 - 4 * sharing)}%`;
}

const ignore = () => undefined;

/** Returns the clicked row's id; undefined for clicks on a control, with Ctrl, Meta or Shift, or to select text. */
function rowClicked({ target, ctrlKey, metaKey, shiftKey }: MouseEvent): string | undefined {
  if (!(target instanceof Element) || ctrlKey || metaKey || shiftKey) return undefined;
  if (target.closest('button, input, label') !== null || getSelection()?.isCollapsed === false) return undefined;
  return target.closest('tr')?.dataset.id;
}

/** The number of rows drawn at once. A browser that has just loaded the page takes milliseconds for each row. */
const firstRows = 8;

type BodyProps = Omit<Props, 'keys' | 'query'> & { readonly keys: readonly Key[]; readonly atOnce: number };

/** Draws the first rows at once and the others in slices, so that the page responds to the keyboard in between. */
function Body({ teamId, keys, columns, selection, actions, stale, atOnce }: BodyProps) {
  const rows = useDeferredValue(keys, keys.length > atOnce ? keys.slice(0, atOnce) : keys);
  // Rows of the previous list can't be selected, because the selection belongs to the next list.
  const select = useSelect(keys, stale || rows !== keys ? ignore : selection.toggle);
  return rows.map((key) => (
    <KeyTableRow
      key={key.id}
      teamId={teamId}
      apiKey={key}
      columns={columns}
      selected={selection.all || selection.ids.has(key.id)}
      fixed={selection.all}
      select={select}
      actions={actions}
    />
  ));
}

function SelectPage({ keys = [], selection, stale }: Pick<Props, 'keys' | 'selection' | 'stale'>) {
  const ids = keys.map(({ id }) => id);
  const selected = selection.all || (ids.length > 0 && ids.every((id) => selection.ids.has(id)));
  return (
    <th className="narrow">
      <input
        type="checkbox"
        aria-label="Select all keys on this page"
        checked={selected}
        // A click while the keys load would do nothing.
        disabled={stale || selection.all || ids.length === 0}
        onChange={() => selection.toggle(ids, !selected)}
      />
    </th>
  );
}

interface HeaderProps extends Pick<Column, 'label' | 'heading' | 'sort' | 'visibleFrom'> {
  readonly width?: number | string | undefined;
  readonly query: KeyQuery;
}

function Header({ label, heading = label, sort, width, query: { orderBy, choose }, visibleFrom }: HeaderProps) {
  const attributes = { className: visibleClass(visibleFrom), style: { width } };
  if (sort === undefined)
    return (
      <th {...attributes}>
        <Clipped>{heading}</Clipped>
      </th>
    );
  const sorted = orderBy.field === sort ? orderBy.direction : null;
  const Icon = sorted === null ? ChevronsUpDown : sorted === 'ASC' ? ArrowUp : ArrowDown;
  return (
    <th {...attributes} aria-sort={sorted === null ? 'none' : sorted === 'ASC' ? 'ascending' : 'descending'}>
      <button type="button" onClick={() => choose({ sort: sorted === 'ASC' ? `-${sort}` : sort })}>
        {heading} <Icon size={14} />
      </button>
    </th>
  );
}

function Waiting({ columns }: { readonly columns: number }) {
  return [0, 1, 2, 3, 4, 5].map((row) => (
    <tr key={row}>
      <td colSpan={columns}>
        <Skeleton h={26} />
      </td>
    </tr>
  ));
}
