import { useNavigate, useSearch } from '@tanstack/react-router';
import { type Tab, tabs } from './key-search.ts';

/** The id of the tab list. */
export const tabsId = 'key';
const from = '/teams/$teamId/keys/$keyId';

/** Returns the tab in the URL, and functions that choose another one. */
export function useTab() {
  const search = useSearch({ from });
  const navigate = useNavigate({ from });
  // Replaces the history entry, so that Back leaves the page.
  const choose = (value: string | null) => {
    const tab = tabs.find((tab) => tab === value) ?? 'overview';
    void navigate({ search: { ...search, tab }, replace: true });
  };
  /** Chooses a tab for a button elsewhere on the page. */
  const show = (tab: Tab) => {
    choose(tab);
    focusTab(tab);
  };
  return { tab: search.tab ?? 'overview', choose, show };
}

/** Moves the focus to a tab, because the button that chose it can be far away. */
export function focusTab(tab: Tab): void {
  document.getElementById(`${tabsId}-tab-${tab}`)?.focus();
}
