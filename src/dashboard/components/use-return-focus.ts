import { useEffect, useMemo } from 'react';

/** After the code that closed the dialog has moved the focus, if it does. */
const delayMs = 10;

/**
 * Returns the focus when a dialog closes. Mantine's own version does so only for dialogs that were mounted before they
 * open, and not to the button of a menu whose item opened the dialog.
 */
export function useReturnFocus(opened: boolean): void {
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
