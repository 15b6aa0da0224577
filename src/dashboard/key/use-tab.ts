/** The chosen tab of the page of a key, in the URL. */
import { useSearchParams } from 'react-router';

export const tabs = [
  { value: 'overview', label: 'Overview' },
  { value: 'settings', label: 'Settings' },
  { value: 'access', label: 'Access' },
  { value: 'rotation', label: 'Rotation' },
  { value: 'history', label: 'History' },
] as const;

export type Tab = (typeof tabs)[number]['value'];

/** The tabs of older links, in the parameter `part`. */
const parts: Readonly<Record<string, Tab>> = { rotate: 'rotation', use: 'overview' };

export function useTab() {
  const [parameters, setParameters] = useSearchParams();
  const part = parameters.get('part') ?? '';
  const tab = tabOf(parameters.get('tab') ?? parts[part] ?? part);
  const choose = (value: string | null) => {
    // Replaces the history entry, so that Back leaves the page.
    setParameters(withTab(parameters, tabOf(value)), { replace: true });
  };
  /** Chooses a tab for a button elsewhere on the page. */
  const show = (tab: Tab) => {
    choose(tab);
    focusTab(tab);
  };
  return { tab, choose, show, linkTo: (tab: Tab) => `?${withTab(parameters, tab)}` };
}

function withTab(parameters: URLSearchParams, tab: Tab): URLSearchParams {
  const changed = new URLSearchParams(parameters);
  changed.delete('part');
  changed.set('tab', tab);
  return changed;
}

/** Moves the focus to a tab, because the button that chose it can be far away. */
export function focusTab(tab: Tab): void {
  document.getElementById(`${tabsId}-tab-${tab}`)?.focus();
}

export const tabsId = 'key';

function tabOf(text: string | null): Tab {
  return tabs.find(({ value }) => value === text)?.value ?? 'overview';
}
