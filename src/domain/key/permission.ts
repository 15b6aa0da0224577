export const permissions = ['view_team', 'manage_keys', 'import_keys'] as const;

export type Permission = (typeof permissions)[number];

/** The caller, and the permissions of its session token in each team. */
export interface Session {
  readonly subject: string;
  readonly teams: ReadonlyMap<string, ReadonlySet<Permission>>;
  /** The names of these teams that the session token has. For people; nothing depends on them. */
  readonly teamNames: ReadonlyMap<string, string>;
}

/** `none`: no permission on the team at all. Even the existence of its keys must then be hidden. */
export type Access = 'granted' | 'lacking' | 'none';

/** No permission implies another. */
export function accessOf(session: Session, teamId: string, needed: Permission): Access {
  const permissions = session.teams.get(teamId);
  if (permissions === undefined || permissions.size === 0) return 'none';
  return permissions.has(needed) ? 'granted' : 'lacking';
}
