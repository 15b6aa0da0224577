/** A dialog with a title. Built from parts of Modal, because Modal's header would be a second banner landmark. */
import { Group, Modal } from '@mantine/core';
import { type ReactNode, useRef } from 'react';
import { useReturnFocus } from './return-focus.ts';

/** Menus (z-index 300) are above the dialogs of a page, and below the dialogs that every page can show. */
const zIndexes = { page: 200, session: 400, leave: 500 };
const handled = new WeakSet<Event>();

export interface DialogProps {
  readonly opened: boolean;
  readonly title: string;
  readonly close?: (() => void) | undefined;
  readonly layer?: keyof typeof zIndexes;
  /** Hides the page, which shows data of another session. */
  readonly isOpaque?: boolean;
  readonly children: ReactNode;
}

export function Dialog({ opened, title, close, layer = 'page', isOpaque = false, children }: DialogProps) {
  const closable = close !== undefined;
  const content = useRef<HTMLDivElement>(null);
  useReturnFocus(opened, content);
  return (
    <Modal.Root
      opened={opened}
      onClose={() => once(close)}
      returnFocus={false}
      zIndex={zIndexes[layer]}
      closeOnEscape={closable}
      closeOnClickOutside={closable}
    >
      <Modal.Overlay {...(isOpaque ? { backgroundOpacity: 1, color: 'var(--mantine-color-body)' } : {})} />
      <Modal.Content ref={content}>
        <Group justify="space-between" wrap="nowrap" p="md" pb="xs">
          <Modal.Title fw={600}>{title}</Modal.Title>
          {closable && <Modal.CloseButton aria-label="Close" />}
        </Group>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

/** Closes one dialog per event, the first mounted. On Escape, Mantine would close all open dialogs. */
function once(close: (() => void) | undefined): void {
  const { event } = window;
  if (event !== undefined) {
    if (handled.has(event)) return;
    handled.add(event);
  }
  close?.();
}
