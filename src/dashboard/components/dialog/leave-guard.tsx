/**
 * Asks before the user loses a secret that is shown once, or unsaved edits. A mounted `LeaveGuard` turns this on: for
 * links, Back and typed addresses. `askToLeave` is for actions that are not navigation, such as signing out. The
 * question is `LeaveDialog`, which is part of every page.
 */
import { Button, Group, Text } from '@mantine/core';
import { type HistoryLocation, useRouter } from '@tanstack/react-router';
import { useEffect, useSyncExternalStore } from 'react';
import { Dialog } from './dialog.tsx';

interface Guard {
  readonly title: string;
  readonly text: string;
}

const guards = new Set<Guard>();
const listeners = new Set<() => void>();
let pending: (() => void) | null = null;
let shown: Guard = { title: '', text: '' };

export function LeaveGuard({ title, text }: Guard) {
  const { history } = useRouter();
  useEffect(() => {
    const guard = { title, text };
    guards.add(guard);
    // Not `useBlocker`, which leaves the new address in the address bar until the user has answered. A second
    // navigation in the meantime would then be undone to the wrong entry.
    const unblock = history.block({
      blockerFn: ({ currentLocation: from, nextLocation: to, action }) => {
        if (!guards.has(guard) || addressOf(from) === addressOf(to)) return false;
        setPending(() => {
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
  else setPending(leave);
}

export function LeaveDialog() {
  const action = useSyncExternalStore(subscribe, () => pending);
  // Keeps the last guard, which may be unmounted while the dialog fades out.
  shown = [...guards].at(-1) ?? shown;
  const stay = () => setPending(null);
  const leave = () => {
    // Otherwise the guards, which are still mounted, would block an action that navigates.
    guards.clear();
    setPending(null);
    action?.();
  };
  return (
    <Dialog layer="leave" opened={action !== null} close={stay} title={shown.title}>
      <Text mb="md">{shown.text}</Text>
      <Group justify="flex-end">
        <Button variant="default" data-autofocus onClick={stay}>
          Stay
        </Button>
        <Button color="red" onClick={leave}>
          Leave
        </Button>
      </Group>
    </Dialog>
  );
}

/** Ignores the chosen tab: all tabs of a page stay mounted, so that switching loses nothing. */
function addressOf({ pathname, search }: HistoryLocation): string {
  const parameters = new URLSearchParams(search);
  for (const name of ['tab', 'part']) parameters.delete(name);
  return `${pathname}?${parameters}`;
}

function setPending(action: (() => void) | null): void {
  pending = action;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
