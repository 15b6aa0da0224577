/** Restores the focus when the focused element disappears, such as a button that its own click removes. */
import { useEffect } from 'react';
import { focusHeading } from './page-heading.ts';

/** The time in which dialogs, menus and new content set the focus themselves after a change of the page. */
const graceMs = 100;

/** Moves a lost focus to the dialog that it was in or, outside of dialogs, to the heading of the page. */
export function useLostFocus(): void {
  useEffect(() => {
    let focused: Element | null = null;
    let dialog: HTMLElement | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const remember = ({ target }: FocusEvent) => {
      if (!(target instanceof Element)) return;
      // The user or a dialog has already moved the focus.
      clearTimeout(timer);
      focused = target;
      dialog = target.closest<HTMLElement>('[role=dialog]');
    };
    const replace = () => {
      if (document.activeElement !== document.body) return;
      if (dialog?.isConnected === true) dialog.focus();
      else focusHeading();
    };
    const observer = new MutationObserver(() => {
      if (focused === null || focused.isConnected) return;
      focused = null;
      clearTimeout(timer);
      timer = setTimeout(replace, graceMs);
    });
    observer.observe(document.body, { childList: true, subtree: true });
    document.addEventListener('focusin', remember);
    return () => {
      observer.disconnect();
      document.removeEventListener('focusin', remember);
      clearTimeout(timer);
    };
  }, []);
}
