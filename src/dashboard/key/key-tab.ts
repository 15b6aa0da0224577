/** The chosen tab of the page of a key, in the URL. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type Search, texts } from '../shell/search.ts';

export const tabs = ['overview', 'settings', 'access', 'rotation', 'history'] as const;
export type Tab = (typeof tabs)[number];

/** The id of the tab list. */
export const tabsId = 'key';
const from = '/teams/$teamId/keys/$keyId';
/** The tabs of links of version 0.1, in the parameter `part`. */
const parts: Readonly<Record<string, Tab>> = { rotate: 'rotation', use: 'overview' };
const read = texts(['tab', 'part', 'period']);

/** Validates the search parameters of the page: the tab, and the period of its chart. */
export function keySearch(search: Search): { readonly tab?: Tab; readonly period?: string } {
  const { tab: written, part = '', period } = read(search);
  const tab = tabs.find((tab) => tab === (written ?? parts[part] ?? part));
  return { ...(tab !== undefined && { tab }), ...(period !== undefined && { period }) };
}

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
