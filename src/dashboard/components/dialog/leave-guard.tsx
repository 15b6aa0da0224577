/**
 * Asks before the user leaves something that would be lost: a secret that is shown once, or unsaved edits. `LeaveGuard`
 * protects it while mounted. `LeaveDialog`, which is part of every page, covers all links, Back and typed addresses;
 * `askToLeave` is for what is not a navigation, such as signing out.
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
    // Closing the tab, reloading it, and links to other documents.
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

/** Calls `leave`: immediately if nothing is guarded, otherwise when the user agrees. */
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
  // While the dialog fades out, its guard may be gone.
  shown = [...guards].at(-1) ?? shown;
  const stay = () => {
    blocker.reset?.();
    setPending(null);
  };
  const leave = () => {
    // The action may navigate before the guards are unmounted.
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

/** The parts of a page, its tabs, are all mounted: choosing another one loses nothing. */
function isAnotherPage(from: Location, to: Location): boolean {
  return addressOf(from) !== addressOf(to);
}

function addressOf({ pathname, search }: Location): string {
  const parameters = new URLSearchParams(search);
  parameters.delete('part');
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
