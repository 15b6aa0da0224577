import type { ViewerTeam } from './viewer.ts';

/** The name of a team or, if it has none, its id. */
export function teamLabel({ id, name }: Pick<ViewerTeam, 'id' | 'name'>): string {
  return name ?? id;
}
