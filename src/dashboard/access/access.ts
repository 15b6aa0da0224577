/** The programs that manage the keys of a team: its management keys and its trust rules. */
import { queryOptions } from '@tanstack/react-query';
import type { GrantablePermission } from '../../domain/access/management-key.ts';
import { execute } from '../api/execute.ts';
import { queryClient } from '../api/query-client.ts';
import {
  ManagementKeysDocument,
  type ManagementKeysQuery,
  OneManagementKeyDocument,
  type Permission,
  TrustRulesDocument,
  type TrustRulesQuery,
} from '../generated/graphql.ts';

export type ManagementKey = ManagementKeysQuery['managementKeys'][number];
export type TrustRule = TrustRulesQuery['trustRules'][number];

/** What each permission lets a program do. */
export const permissionTexts: Readonly<Record<GrantablePermission, string>> = {
  view_team: 'Read the keys, their usage and the audit trail.',
  manage_keys: 'Create, change and revoke keys.',
  manage_webhooks: 'Manage the webhooks.',
};

/** How those of a program are written in a line. */
export function permissionsIn(permissions: readonly Permission[]): string {
  return permissions.join(', ');
}

export const managementKeysOf = (teamId: string) =>
  queryOptions({
    queryKey: ['management-keys', teamId],
    queryFn: async ({ signal }) => (await execute(ManagementKeysDocument, { teamId }, signal)).managementKeys,
  });

export const managementKeyWith = (id: string) =>
  queryOptions({
    queryKey: ['management-keys', 'one', id],
    queryFn: async ({ signal }) => (await execute(OneManagementKeyDocument, { id }, signal)).managementKey,
    refetchInterval: 30_000,
  });

export const trustRulesOf = (teamId: string) =>
  queryOptions({
    queryKey: ['trust-rules', teamId],
    queryFn: async ({ signal }) => (await execute(TrustRulesDocument, { teamId }, signal)).trustRules,
  });

/** Loads again what a change of management keys or trust rules can have changed. */
export async function reloadAccess(): Promise<void> {
  const changed: readonly unknown[] = ['management-keys', 'trust-rules', 'trail'];
  await queryClient.invalidateQueries({ predicate: ({ queryKey: [kind] }) => changed.includes(kind) });
}
