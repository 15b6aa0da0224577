/**
 * Numbers the entries of the history that the browser makes itself, for typed addresses and for links with a fragment.
 * React Router numbers only its own. Without a number it can't tell how far a navigation went, and so can't undo it: a
 * leave guard would be ignored.
 */
let current = 0;

/** To be called in a listener for `popstate` that was added before the router's. */
export function numberEntry(): void {
  const index = indexOf(history.state);
  // A new entry is always the one after the current entry.
  current = index ?? current + 1;
  if (index === null) history.replaceState({ ...history.state, idx: current }, '');
}

/** To be called when the router has changed the history. */
export function rememberEntry(): void {
  current = indexOf(history.state) ?? current;
}

function indexOf(state: unknown): number | null {
  if (typeof state !== 'object' || state === null || !('idx' in state)) return null;
  return typeof state.idx === 'number' ? state.idx : null;
}
