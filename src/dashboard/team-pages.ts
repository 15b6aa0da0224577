/** The pages of a team that the navigation and the commands lead to. */
import type { ViewerTeam } from './session/viewer.ts';

const pages = [
  { path: 'keys', label: 'Keys' },
  { path: 'overview', label: 'Overview' },
  { path: 'try', label: 'Try a key' },
  { path: 'audit', label: 'Audit' },
  { path: 'import', label: 'Import', permission: 'import_keys' },
] as const;

/** Returns the pages that are of use with the permissions of the session on the team. */
export function pagesOf({ permissions }: Pick<ViewerTeam, 'permissions'>) {
  return pages.filter((page) => !('permission' in page) || permissions.includes(page.permission));
}
