/** The search parameters of the page of a key: the chosen tab, and the period of its chart. */
import { type Search, texts } from '../shell/search.ts';

export const tabs = ['overview', 'settings', 'access', 'rotation', 'history'] as const;
export type Tab = (typeof tabs)[number];

interface KeySearch {
  readonly tab?: Tab;
  readonly period?: string;
}

/** The tabs of older links, in the parameter `part`. */
const parts: Readonly<Record<string, Tab>> = { rotate: 'rotation', use: 'overview' };
const read = texts(['tab', 'part', 'period']);

export function keySearch(search: Search): KeySearch {
  const { tab: written, part = '', period } = read(search);
  const tab = tabs.find((tab) => tab === (written ?? parts[part] ?? part));
  return { ...(tab !== undefined && { tab }), ...(period !== undefined && { period }) };
}
