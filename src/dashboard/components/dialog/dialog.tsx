/** A dialog with a title. Built from the parts of Modal, because its own header would be a second banner landmark. */
import { Group, Modal } from '@mantine/core';
import { type ReactNode, useEffect, useMemo } from 'react';

/** A dialog of a page is never above one that every page can show, and no menu (z-index 300) is above that. */
const zIndexes = { page: 200, session: 400, leave: 500 };
const handled = new WeakSet<Event>();
/** Later than the code that closed the dialog, which may move the focus itself. */
const delayMs = 10;

interface Props {
  readonly opened: boolean;
  readonly title: string;
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

/** Mantine closes all open dialogs on Escape. Here, one event closes only the dialog that was mounted first. */
function once(close: (() => void) | undefined): void {
  const { event } = window;
  if (event !== undefined) {
    if (handled.has(event)) return;
    handled.add(event);
  }
  close?.();
}

/**
 * Returns the focus when a dialog closes. Mantine's own version does so only for dialogs that were mounted before they
 * open, and not to the button of a menu whose item opened the dialog.
 */
function useReturnFocus(opened: boolean): void {
  // Not in an effect: with reduced motion, the menu with the item that has the focus is gone by then.
  const opener = useMemo(() => (opened ? openerOf(document.activeElement) : null), [opened]);
  useEffect(() => {
    if (!opened) return;
    return () => {
      const focused = document.activeElement;
      setTimeout(() => {
        const { activeElement } = document;
        if (activeElement === focused || activeElement === document.body) opener?.focus({ preventScroll: true });
      }, delayMs);
    };
  }, [opened, opener]);
}

function openerOf(focused: Element | null): HTMLElement | null {
  const button = focused?.closest('[role=menu]')?.getAttribute('aria-labelledby');
  const opener = button == null ? focused : document.getElementById(button);
  return opener instanceof HTMLElement ? opener : null;
}
