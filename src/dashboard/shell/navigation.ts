/** The destinations of the navigation, the session menu and the commands. */
import type { DocsSection } from '../components/docs.ts';
import { fromServer } from '../server-values.ts';
import type { ViewerTeam } from '../session/viewer.ts';

const teamPages = [
  { path: '/teams/$teamId/keys', label: 'Keys' },
  { path: '/teams/$teamId/overview', label: 'Overview' },
  { path: '/teams/$teamId/try', label: 'Try a key' },
  { path: '/teams/$teamId/audit', label: 'Audit' },
  { path: '/teams/$teamId/webhooks', label: 'Webhooks', permission: 'manage_webhooks' },
  { path: '/teams/$teamId/access', label: 'Access', permission: 'manage_access' },
  { path: '/teams/$teamId/policy', label: 'Policy' },
  { path: '/teams/$teamId/members', label: 'Members' },
  { path: '/teams/$teamId/freeze', label: 'Freeze', permission: 'manage_keys' },
  { path: '/teams/$teamId/import', label: 'Import', permission: 'import_keys' },
] as const;

export function pagesOf({ permissions }: Pick<ViewerTeam, 'permissions'>) {
  return teamPages.filter((page) => !('permission' in page) || permissions.includes(page.permission));
}

/** The pages of this server that describe its APIs. They open in the same tab, because they use its session. */
export const explorers: readonly { readonly href: string; readonly label: string }[] = [
  ...(fromServer('graphiql') === 'true' ? [{ href: '/graphql', label: 'GraphQL explorer and schema' }] : []),
  { href: '/openapi', label: 'REST and verification reference' },
];

const sections: Readonly<Record<string, DocsSection>> = {
  keys: 'keys',
  'keys/new': 'newKey',
  'keys/$keyId': 'key',
  overview: 'overview',
  try: 'tryAKey',
  audit: 'audit',
  addresses: 'addresses',
  webhooks: 'webhooks',
  'webhooks/new': 'webhooks',
  'webhooks/$webhookId': 'webhook',
  access: 'access',
  'access/keys/new': 'access',
  'access/keys/$managementKeyId': 'access',
  'access/rules/new': 'access',
  policy: 'policy',
  members: 'members',
  freeze: 'freeze',
  import: 'import',
};
const ofTabs: Readonly<Record<string, DocsSection>> = {
  settings: 'settings',
  rotation: 'rotation',
  history: 'history',
};

/** Returns the section of the documents about a page. */
export function sectionOf(route: string, tab: string | undefined): DocsSection {
  const section = sections[route.replace('/teams/$teamId/', '')] ?? 'start';
  return (section === 'key' ? ofTabs[tab ?? ''] : undefined) ?? section;
}
