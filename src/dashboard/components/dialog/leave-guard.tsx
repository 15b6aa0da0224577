/**
 * Asks before the user loses a secret that is shown once, or unsaved edits. A mounted `LeaveGuard` turns this on: for
 * links, Back and typed addresses. `askToLeave` is for actions that are not navigation, such as signing out. The
 * question is `LeaveDialog`, which every page can show.
 */
import { type HistoryLocation, useRouter } from '@tanstack/react-router';
import { useEffect, useSyncExternalStore } from 'react';

interface Guard {
  readonly title: string;
  readonly text: string;
}

export interface Leaving {
  readonly question: Guard;
  readonly leave: () => void;
  readonly stay: () => void;
}

const guards = new Set<Guard>();
const listeners = new Set<() => void>();
let pending: Leaving | null = null;

export function LeaveGuard({ title, text }: Guard) {
  const { history } = useRouter();
  useEffect(() => {
    const guard = { title, text };
    guards.add(guard);
    notify();
    // Not `useBlocker`, which leaves the new address in the address bar until the user has answered. A second
    // navigation in the meantime would then be undone to the wrong entry.
    const unblock = history.block({
      blockerFn: ({ currentLocation: from, nextLocation: to, action }) => {
        if (!guards.has(guard) || addressOf(from) === addressOf(to)) return false;
        ask(() => {
          if (action === 'PUSH') history.push(to.href, to.state);
          else if (action === 'REPLACE') history.replace(to.href, to.state);
          else history.go(to.state.__TSR_index - from.state.__TSR_index);
        });
        return true;
      },
      // For closing or reloading the tab, and for links to other documents.
      enableBeforeUnload: () => guards.has(guard),
    });
    return () => {
      guards.delete(guard);
      unblock();
    };
  }, [history, title, text]);
  return null;
}

/** Calls `leave` when the user agrees, or immediately if no guard is mounted. */
export function askToLeave(leave: () => void): void {
  if (guards.size === 0) leave();
  else ask(leave);
}

/** Returns whether a guard is mounted, so that its question is loaded before the server may be unreachable. */
export function useIsGuarded(): boolean {
  return useSyncExternalStore(subscribe, () => guards.size > 0);
}

/** Returns what waits for the user to agree, with the question; null if nothing does. */
export function useLeaving(): Leaving | null {
  return useSyncExternalStore(subscribe, () => pending);
}

/** Ignores the chosen tab: all tabs of a page stay mounted, so that switching loses nothing. */
function addressOf({ pathname, search }: HistoryLocation): string {
  const parameters = new URLSearchParams(search);
  for (const name of ['tab', 'part']) parameters.delete(name);
  return `${pathname}?${parameters}`;
}

function ask(action: () => void): void {
  const leave = () => {
    // Otherwise the guards, which are still mounted, would block an action that navigates.
    guards.clear();
    setPending(null);
    action();
  };
  const question = [...guards].at(-1);
  if (question !== undefined) setPending({ question, leave, stay: () => setPending(null) });
}

function setPending(leaving: Leaving | null): void {
  pending = leaving;
  notify();
}

function notify(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
