/** The keys of a list that the user has selected, on all of its pages. */
import { useCallback, useState } from 'react';

interface State {
  readonly list: string;
  readonly ids: ReadonlySet<string>;
  readonly all: boolean;
}

export interface Selection {
  readonly ids: ReadonlySet<string>;
  /** Whether all keys that match the filter are selected, also those on other pages. */
  readonly all: boolean;
  readonly toggle: (ids: readonly string[], selected: boolean) => void;
  readonly selectAll: () => void;
  readonly clear: () => void;
}

const none: ReadonlySet<string> = new Set();

/** @param list identifies the team and filter; another list starts without a selection */
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
