/** Sets the document's title to the heading of the page, and moves the focus to the heading after a navigation. */
import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';

export function usePageHeading(): void {
  const router = useRouter();

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
    let traverses = false;
    const unsubscribe = router.history.subscribe(({ action: { type } }) => {
      traverses = type !== 'PUSH' && type !== 'REPLACE';
    });
    const unsubscribeRendered = router.subscribe('onRendered', ({ fromLocation, toLocation, pathChanged }) => {
      if (fromLocation === undefined || !pathChanged) return;
      if (toLocation.state.focus === 'search') return searchBox()?.focus();
      // On Back and Forward, the browser restores the scroll position.
      if (!traverses) scrollTo(0, 0);
      // A focused field keeps the focus, because the user may already be typing in it.
      if (document.activeElement?.matches('main :is(input, textarea, select)') !== true) focusHeading();
    });
    return () => {
      unsubscribe();
      unsubscribeRendered();
    };
  }, [router]);
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

function heading(): HTMLElement | null {
  return document.querySelector<HTMLElement>('main h1');
}
