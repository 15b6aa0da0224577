/** The search parameters of the page of a webhook: the chosen tab, and the shown deliveries. */
import type { DeliveryOutcome } from '../generated/graphql.ts';
import { type Search, texts } from '../shell/search.ts';

export const tabLabels = { deliveries: 'Deliveries', settings: 'Settings', verification: 'Verification' } as const;
export type Tab = keyof typeof tabLabels;
export const tabs = Object.keys(tabLabels) as readonly Tab[];

export const outcomeNames: Readonly<Record<DeliveryOutcome, string>> = {
  DELIVERED: 'delivered',
  PENDING: 'pending',
  FAILED: 'failed',
};
export const outcomes = Object.keys(outcomeNames) as readonly DeliveryOutcome[];

const read = texts(['tab', 'outcome']);

export function webhookSearch(search: Search): { readonly tab?: Tab; readonly outcome?: DeliveryOutcome } {
  const written = read(search);
  const tab = tabs.find((tab) => tab === written.tab);
  const outcome = outcomes.find((outcome) => outcome === written.outcome);
  return { ...(tab !== undefined && { tab }), ...(outcome !== undefined && { outcome }) };
}
