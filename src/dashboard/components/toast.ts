/** Short messages about what succeeded. Never put a secret into one. `Toaster`, a part of every page, shows them. */

export interface Toast {
  /** A text, or an error of a call that has no other place on the page. */
  readonly content: string | Error;
  /** Reverts the change. If it fails, its error is shown instead. */
  readonly undo?: (() => Promise<unknown>) | undefined;
  /** Asked before the undo, if it ends a protection. */
  readonly question?: UndoQuestion | undefined;
}

export interface UndoQuestion {
  readonly title: string;
  readonly text: string;
  readonly label: string;
}

let waiting: readonly Toast[] = [];
const listeners = new Set<() => void>();
/** What the buttons of the messages do that are shown, since the last change that can't be undone, oldest first. */
export const undos = new Set<() => void>();

export function toast(content: string | Error, options: Omit<Toast, 'content'> = {}): void {
  setWaiting([...waiting, { content, ...options }]);
}

export function waitingToasts(): readonly Toast[] {
  return waiting;
}

export function takeToasts(): readonly Toast[] {
  const taken = waiting;
  if (taken.length > 0) setWaiting([]);
  return taken;
}

export function onToasts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Undoes the newest change whose message is shown. */
export function undoLast(): void {
  [...undos].at(-1)?.();
}

function setWaiting(toasts: readonly Toast[]): void {
  waiting = toasts;
  for (const listener of listeners) listener();
}
