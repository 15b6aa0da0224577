/** The keys that the user has selected on all pages of a list. */
import { Button, Group, Text } from '@mantine/core';
import { useCallback, useRef, useState } from 'react';
import { FocusableButton } from '../../components/form/focusable-button.tsx';
import { formatCount } from '../../components/format.ts';
import type { ChangeKind } from '../changes/change.ts';

interface State {
  readonly list: string;
  readonly ids: ReadonlySet<string>;
  readonly all: boolean;
}

export interface Selection {
  readonly ids: ReadonlySet<string>;
  /** Whether all keys that match the filter are selected, on all pages. */
  readonly all: boolean;
  readonly toggle: (ids: readonly string[], selected: boolean) => void;
  readonly selectAll: () => void;
  readonly clear: () => void;
}

const none: ReadonlySet<string> = new Set();

/** @param list identifies the team and filter; when it changes, the selection is empty */
export function useSelection(list: string): Selection {
  const nothing: State = { list, ids: none, all: false };
  const [state, setState] = useState(nothing);
  const { ids, all } = state.list === list ? state : nothing;
  const toggle = useCallback(
    (changed: readonly string[], selected: boolean) =>
      setState((before) => {
        const ids = new Set(before.list === list ? before.ids : []);
        for (const id of changed) {
          if (selected) ids.add(id);
          else ids.delete(id);
        }
        return { list, ids, all: false };
      }),
    [list],
  );
  return { ids, all, toggle, selectAll: () => setState({ list, ids, all: true }), clear: () => setState(nothing) };
}

/** @param isRange whether the keys between this one and the one selected before are meant too */
export type Select = (id: string, selected: boolean, isRange: boolean) => void;

export function useSelect(keys: readonly { readonly id: string }[], toggle: Selection['toggle']): Select {
  const before = useRef<string>(undefined);
  return useCallback(
    (id, selected, isRange) => {
      const ids = keys.map((key) => key.id);
      const [start, end] = [ids.indexOf(before.current ?? id), ids.indexOf(id)].toSorted((a, b) => a - b);
      toggle(isRange && start !== undefined && start >= 0 ? ids.slice(start, (end ?? 0) + 1) : [id], selected);
      before.current = id;
    },
    [keys, toggle],
  );
}

interface Props {
  readonly selection: Selection;
  readonly total: number;
  readonly totalIsPartial: boolean;
  readonly change: (kind: ChangeKind) => void;
}

const buttons: readonly { readonly kind: ChangeKind; readonly label: string }[] = [
  { kind: 'tag', label: 'Tag…' },
  { kind: 'renew', label: 'Renew…' },
  { kind: 'enable', label: 'Enable…' },
  { kind: 'disable', label: 'Disable…' },
  { kind: 'revoke', label: 'Revoke…' },
];

export function SelectionBar({ selection: { ids, all, selectAll, clear }, total, totalIsPartial, change }: Props) {
  const count = all ? total : ids.size;
  if (count === 0) return null;
  return (
    <Group component="section" className="selection" gap="xs" aria-label="Selected keys">
      <Text size="sm" fw={600} role="status">
        {formatCount(count, all && totalIsPartial)} selected
      </Text>
      {buttons.map(({ kind, label }) => (
        <Button
          key={kind}
          size="compact-sm"
          {...(kind === 'revoke' ? { color: 'red' } : { variant: 'default' })}
          onClick={() => change(kind)}
        >
          {label}
        </Button>
      ))}
      {(all || count < total) && (
        <FocusableButton size="compact-sm" variant="subtle" disabled={all} onClick={selectAll}>
          Select all {formatCount(total, totalIsPartial)}
        </FocusableButton>
      )}
      <Button size="compact-sm" variant="subtle" onClick={clear}>
        Clear the selection
      </Button>
    </Group>
  );
}
