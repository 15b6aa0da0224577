import { type RefObject, useEffect, useMemo } from 'react';

/** Waits for the code that closed the dialog, because that code may move the focus. */
const delayMs = 10;

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
