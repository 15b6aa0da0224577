/** A dialog with a title. Built from parts of Modal, because Modal's header would be a second banner landmark. */
import { Group, Modal } from '@mantine/core';
import { type ReactNode, type RefObject, useEffect, useMemo, useRef } from 'react';

/** Menus (z-index 300) are above the dialogs of a page, and below the dialogs that every page can show. */
const zIndexes = { page: 200, session: 400, leave: 500 };
const handled = new WeakSet<Event>();
/** Waits for the code that closed the dialog, because that code may move the focus. */
const delayMs = 10;

interface Props {
  readonly opened: boolean;
  readonly title: string;
  readonly close?: (() => void) | undefined;
  readonly layer?: keyof typeof zIndexes;
  /** Hides the page, which shows data of another session. */
  readonly isOpaque?: boolean;
  readonly children: ReactNode;
}

export function Dialog({ opened, title, close, layer = 'page', isOpaque = false, children }: Props) {
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

/**
 * Returns the focus when a dialog closes. Mantine's `returnFocus` works only for dialogs that were mounted before they
 * open. It does not find the button of a menu whose item opened the dialog.
 */
export function useReturnFocus(opened: boolean, content?: RefObject<HTMLElement | null>): void {
  // Not in an effect: with reduced motion, the menu and its focused item are gone when effects run.
  const opener = useMemo(() => (opened ? openerOf(document.activeElement) : null), [opened]);
  useEffect(() => {
    if (!opened) return;
    return () => {
      const focused = document.activeElement;
      setTimeout(() => {
        const { activeElement } = document;
        // Mantine moves the focus into a dialog with a delay, so possibly into one that is closing.
        const dialog = content?.current;
        if (dialog?.contains(activeElement) || activeElement === focused || activeElement === document.body) {
          opener?.focus({ preventScroll: true });
        }
      }, delayMs);
    };
  }, [opened, opener, content]);
}

function openerOf(focused: Element | null): HTMLElement | null {
  const button = focused?.closest('[role=menu]')?.getAttribute('aria-labelledby');
  const opener = button == null ? focused : document.getElementById(button);
  return opener instanceof HTMLElement ? opener : null;
}
