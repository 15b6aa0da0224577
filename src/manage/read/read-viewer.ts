import { type Permission, permissions } from '../../domain/key/permission.ts';
import type { Caller } from '../management.ts';

export interface Viewer {
  readonly subject: string;
  readonly source: string | null;
  readonly teams: readonly ViewerTeam[];
}

export interface ViewerTeam {
  readonly id: string;
  /** The name in the session token. */
  readonly name: string | null;
  readonly permissions: readonly Permission[];
}

/** Returns the caller and its permissions from the session token, with the teams ordered by id. */
export function readViewer({ session, source }: Caller): Viewer {
  const teams = [...session.teams].map(([id, granted]) => ({
    id,
    name: session.teamNames.get(id) ?? null,
    permissions: permissions.filter((p) => granted.has(p)),
  }));
  return { subject: session.subject, source, teams: teams.sort((a, b) => (a.id < b.id ? -1 : 1)) };
}
