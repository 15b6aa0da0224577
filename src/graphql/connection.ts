import type { AuditEntry } from '../domain/audit-entry.ts';
import type { Page } from '../manage/read/page.ts';
import type { KeyPage } from '../manage/read/read-keys.ts';

export type ApiKeyPage = KeyPage;
export type AuditEntryPage = Page<AuditEntry>;
export type PageInfoSource = Page<unknown>;

/** Returns resolvers for the fields that every Relay connection has. */
export function connectionResolvers<T>() {
  return {
    nodes: (page: Page<T>) => page.edges.map(({ node }) => node),
    pageInfo: (page: Page<T>) => page,
  };
}
