/** Sets the document's title to the heading of the page, and moves the focus to the heading after a navigation. */
import { useEffect, useRef } from 'react';
import { useLocation, useNavigationType } from 'react-router';

export function usePageHeading(): void {
  const { pathname, state } = useLocation();
  const navigationType = useNavigationType();
  const shown = useRef(pathname);

  useEffect(() => {
    const setTitle = () => {
      const text = heading()?.textContent;
      document.title = text ? `${text} · Latchkey` : 'Latchkey';
    };
    const observer = new MutationObserver(setTitle);
    observer.observe(document.body, { childList: true, characterData: true, subtree: true });
    setTitle();
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    if (wantsSearch(state)) return searchBox()?.focus();
    // On Back and Forward, the browser restores the scroll position.
    if (navigationType !== 'POP') scrollTo(0, 0);
    // A focused field keeps the focus, because the user may already be typing in it.
    if (document.activeElement?.matches('main :is(input, textarea, select)') !== true) focusHeading();
  }, [pathname, navigationType, state]);
}

export function focusHeading(): void {
  const element = heading();
  if (element === null) return;
  element.tabIndex = -1;
  element.focus({ preventScroll: true });
}

export function searchBox(): HTMLInputElement | null {
  return document.querySelector<HTMLInputElement>('main input[type=search]');
}

function wantsSearch(state: unknown): boolean {
  return typeof state === 'object' && state !== null && 'focus' in state && state.focus === 'search';
}

function heading(): HTMLElement | null {
  return document.querySelector<HTMLElement>('main h1');
}
