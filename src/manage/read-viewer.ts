import { type Permission, permissions } from '../domain/permission.ts';
import type { Caller } from './caller.ts';

export interface Viewer {
  readonly subject: string;
  readonly source: string | null;
  readonly teams: readonly { readonly id: string; readonly permissions: readonly Permission[] }[];
}

/** Who calls and what they may do, by the session token: the teams by id, whatever its order. */
export function readViewer({ session, source }: Caller): Viewer {
  const teams = [...session.teams].map(([id, granted]) => ({
    id,
    permissions: permissions.filter((p) => granted.has(p)),
  }));
  return { subject: session.subject, source, teams: teams.sort((a, b) => (a.id < b.id ? -1 : 1)) };
}
