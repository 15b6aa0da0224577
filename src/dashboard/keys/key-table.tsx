import { Skeleton, Table, UnstyledButton } from '@mantine/core';
import { type MouseEvent, memo, useDeferredValue } from 'react';
import { useNavigate } from 'react-router';
import { ArrowDown, ArrowUp, ChevronsUpDown } from '../components/icons.tsx';
import type { KeyOrderField } from '../generated/graphql.ts';
import type { Column, Key } from './columns.tsx';
import type { KeyQuery } from './key-query.ts';
import { KeyTableRow } from './key-row.tsx';
import type { RowActions } from './row-actions.ts';
import type { Selection } from './selection.ts';

interface Props {
  readonly teamId: string;
  /** Undefined while they are loading. */
  readonly keys: readonly Key[] | undefined;
  readonly columns: readonly Column[];
  readonly query: KeyQuery;
  readonly selection: Selection;
  /** Undefined if the session may not change keys. */
  readonly actions: RowActions | undefined;
  /** Whether the keys are those of the previous query, while the current one is loading. */
  readonly stale: boolean;
}

export function KeyTable({ teamId, keys, columns, query, selection, actions, stale }: Props) {
  // Renders a hundred rows in slices, so that the page responds to the keyboard in between.
  const rows = useDeferredValue(keys);
  const navigate = useNavigate();
  const open = (event: MouseEvent) => {
    const id = rowClicked(event);
    if (id !== undefined) navigate(`/teams/${teamId}/keys/${id}`);
  };
  return (
    <Table.ScrollContainer minWidth={280} scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': 'Keys' } }}>
      <Table className="keys" highlightOnHover aria-busy={stale || keys === undefined} opacity={stale ? 0.6 : 1}>
        <Table.Thead>
          <Table.Tr>
            {actions !== undefined && <SelectPage keys={keys ?? []} selection={selection} />}
            <Header label="Name" sort="NAME" query={query} />
            <Header label="State" query={query} />
            {columns.map(({ id, ...column }) => (
              <Header key={id} {...column} query={query} />
            ))}
            <Table.Th className="narrow" aria-label="Actions" />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody onClick={open}>
          <Rows
            teamId={teamId}
            keys={rows}
            columns={columns}
            ids={selection.ids}
            all={selection.all}
            toggle={selection.toggle}
            actions={actions}
          />
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** Returns the id of the key whose row was clicked, but not a control in it, and not to select text. */
function rowClicked({ target, ctrlKey, metaKey, shiftKey }: MouseEvent): string | undefined {
  if (!(target instanceof Element) || ctrlKey || metaKey || shiftKey) return undefined;
  if (target.closest('a, button, input, label') !== null || getSelection()?.isCollapsed === false) return undefined;
  return target.closest('tr')?.dataset.id;
}

type RowsProps = Pick<Props, 'teamId' | 'keys' | 'columns' | 'actions'> & Pick<Selection, 'ids' | 'all' | 'toggle'>;

const Rows = memo(function Rows({ teamId, keys, columns, ids, all, toggle, actions }: RowsProps) {
  if (keys === undefined) return <Waiting columns={columns.length + 4} />;
  return keys.map((key) => (
    <KeyTableRow
      key={key.id}
      teamId={teamId}
      apiKey={key}
      columns={columns}
      selected={all || ids.has(key.id)}
      toggle={toggle}
      actions={actions}
    />
  ));
});

function SelectPage({ keys, selection }: { readonly keys: readonly Key[]; readonly selection: Selection }) {
  const ids = keys.map(({ id }) => id);
  const selected = selection.all || (ids.length > 0 && ids.every((id) => selection.ids.has(id)));
  return (
    <Table.Th className="narrow">
      <input
        type="checkbox"
        aria-label="Select all keys on this page"
        checked={selected}
        onChange={() => selection.toggle(ids, !selected)}
      />
    </Table.Th>
  );
}

interface HeaderProps {
  readonly label: string;
  readonly sort?: KeyOrderField;
  readonly query: KeyQuery;
  readonly visibleFrom?: 'xs' | 'sm' | 'md';
}

function Header({ label, sort, query: { orderBy, choose }, visibleFrom }: HeaderProps) {
  const visibility = visibleFrom === undefined ? {} : { visibleFrom };
  if (sort === undefined) return <Table.Th {...visibility}>{label}</Table.Th>;
  const sorted = orderBy.field === sort ? orderBy.direction : null;
  const Icon = sorted === null ? ChevronsUpDown : sorted === 'ASC' ? ArrowUp : ArrowDown;
  return (
    <Table.Th {...visibility} aria-sort={sorted === null ? 'none' : sorted === 'ASC' ? 'ascending' : 'descending'}>
      <UnstyledButton
        fz="inherit"
        fw="inherit"
        className="nowrap"
        onClick={() => choose({ sort: sorted === 'ASC' ? `-${sort}` : sort })}
      >
        {label} <Icon size={14} />
      </UnstyledButton>
    </Table.Th>
  );
}

function Waiting({ columns }: { readonly columns: number }) {
  return [0, 1, 2, 3, 4, 5].map((row) => (
    <Table.Tr key={row}>
      <Table.Td colSpan={columns}>
        <Skeleton h={26} />
      </Table.Td>
    </Table.Tr>
  ));
}
