/** The search parameters of the page of a key: the chosen tab, and the period of its chart. */
import { type Search, texts } from '../shell/search.ts';

export const tabs = ['overview', 'settings', 'access', 'rotation', 'history'] as const;
export type Tab = (typeof tabs)[number];

/** The tabs of links of version 0.1, in the parameter `part`. */
const parts: Readonly<Record<string, Tab>> = { rotate: 'rotation', use: 'overview' };
const read = texts(['tab', 'part', 'period']);

export function keySearch(search: Search): { readonly tab?: Tab; readonly period?: string } {
  const { tab: written, part = '', period } = read(search);
  const tab = tabs.find((tab) => tab === (written ?? parts[part] ?? part));
  return { ...(tab !== undefined && { tab }), ...(period !== undefined && { period }) };
}
