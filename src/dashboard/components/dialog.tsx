/** A dialog with a title. Built from the parts of Modal, because its own header would be a second banner landmark. */
import { Group, Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useReturnFocus } from './use-return-focus.ts';

/** A dialog of a page is never above one that every page can show, and no menu (z-index 300) is above that. */
const zIndexes = { page: 200, session: 400, leave: 500 };
const handled = new WeakSet<Event>();

interface Props {
  readonly opened: boolean;
  readonly title: string;
  /** Absent if the dialog can't be dismissed. */
  readonly close?: (() => void) | undefined;
  readonly layer?: keyof typeof zIndexes;
  readonly children: ReactNode;
}

export function Dialog({ opened, title, close, layer = 'page', children }: Props) {
  const closable = close !== undefined;
  useReturnFocus(opened);
  return (
    <Modal.Root
      opened={opened}
      onClose={() => once(close)}
      returnFocus={false}
      zIndex={zIndexes[layer]}
      closeOnEscape={closable}
      closeOnClickOutside={closable}
    >
      <Modal.Overlay />
      <Modal.Content>
        <Group justify="space-between" wrap="nowrap" p="md" pb="xs">
          <Modal.Title fw={600}>{title}</Modal.Title>
          {closable && <Modal.CloseButton aria-label="Close" />}
        </Group>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

/** Mantine closes all dialogs that are open. One Escape closes one: that which was mounted first. */
function once(close: (() => void) | undefined): void {
  const { event } = window;
  if (event !== undefined) {
    if (handled.has(event)) return;
    handled.add(event);
  }
  close?.();
}
