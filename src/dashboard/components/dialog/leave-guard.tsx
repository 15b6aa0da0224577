/**
 * Asks before the user loses a secret that is shown once, or unsaved edits. A mounted `LeaveGuard` turns this on.
 * `LeaveDialog`, which is part of every page, asks on links, Back and typed addresses. `askToLeave` is for actions that
 * are not navigation, such as signing out.
 */
import { Button, Group, Text } from '@mantine/core';
import { useEffect, useSyncExternalStore } from 'react';
import { type Location, useBlocker } from 'react-router';
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
  useEffect(() => {
    const guard = { title, text };
    // For closing or reloading the tab, and for links to other documents.
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    guards.add(guard);
    addEventListener('beforeunload', warn);
    return () => {
      guards.delete(guard);
      removeEventListener('beforeunload', warn);
    };
  }, [title, text]);
  return null;
}

/** Calls `leave` when the user agrees, or immediately if no guard is mounted. */
export function askToLeave(leave: () => void): void {
  if (guards.size === 0) leave();
  else setPending(leave);
}

export function LeaveDialog() {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => guards.size > 0 && isAnotherPage(currentLocation, nextLocation),
  );
  const action = useSyncExternalStore(subscribe, () => pending);
  const opened = blocker.state === 'blocked' || action !== null;
  // Keeps the last guard, which may be unmounted while the dialog fades out.
  shown = [...guards].at(-1) ?? shown;
  const stay = () => {
    blocker.reset?.();
    setPending(null);
  };
  const leave = () => {
    // Otherwise the guards, which are still mounted, would block an action that navigates.
    guards.clear();
    blocker.proceed?.();
    setPending(null);
    action?.();
  };
  return (
    <Dialog layer="leave" opened={opened} close={stay} title={shown.title}>
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
function isAnotherPage(from: Location, to: Location): boolean {
  return addressOf(from) !== addressOf(to);
}

function addressOf({ pathname, search }: Location): string {
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
