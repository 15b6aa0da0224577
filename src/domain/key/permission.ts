export const permissions = [
  'view_team',
  'manage_keys',
  'import_keys',
  'manage_webhooks',
  'manage_access',
  'manage_policy',
] as const;

export type Permission = (typeof permissions)[number];

/** The caller, and the permissions of its session token in each team. */
export interface Session {
  readonly subject: string;
  readonly teams: ReadonlyMap<string, ReadonlySet<Permission>>;
  /** The names of teams in the session token. They are for people: no decision depends on a name. */
  readonly teamNames: ReadonlyMap<string, string>;
}

/** With `none`, the session has no permission on the team, and even the existence of keys must be hidden. */
export type Access = 'granted' | 'lacking' | 'none';

/** No permission implies another. */
export function accessOf(session: Session, teamId: string, needed: Permission): Access {
  const permissions = session.teams.get(teamId);
  if (permissions === undefined || permissions.size === 0) return 'none';
  return permissions.has(needed) ? 'granted' : 'lacking';
}
