/** The destinations of the navigation, the session menu and the commands. */
import { fromServer } from '../server-values.ts';
import type { ViewerTeam } from '../session/viewer.ts';

const teamPages = [
  { path: 'keys', label: 'Keys' },
  { path: 'overview', label: 'Overview' },
  { path: 'try', label: 'Try a key' },
  { path: 'audit', label: 'Audit' },
  { path: 'import', label: 'Import', permission: 'import_keys' },
] as const;

export function pagesOf({ permissions }: Pick<ViewerTeam, 'permissions'>) {
  return teamPages.filter((page) => !('permission' in page) || permissions.includes(page.permission));
}

/** The pages of this server that describe its APIs. They open in the same tab, because they use its session. */
export const explorers: readonly { readonly href: string; readonly label: string }[] = [
  ...(fromServer('graphiql') === 'true' ? [{ href: '/graphql', label: 'GraphQL explorer and schema' }] : []),
  { href: '/openapi', label: 'REST and verification reference' },
];
