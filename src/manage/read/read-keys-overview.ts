import type { KeysOverview as Counts } from '../../store/rows/keys.ts';
import { authorizeTeam, type Caller, type Management } from '../management.ts';

const dayMs = 86_400_000;

export interface KeysOverview extends Counts {
  readonly at: Date;
}

/**
 * Counts a team's keys that may need attention. Each number is the size of a list: `expiringSoon` of the active keys with
 * `expiresBefore` in 14 days, `unusedFor90Days` of those with `unusedSince` and `createdBefore` 90 days ago.
 * Needs `view_team`.
 * Throws FORBIDDEN, UNAVAILABLE.
 */
export async function readKeysOverview({ store }: Management, caller: Caller, teamId: string): Promise<KeysOverview> {
  authorizeTeam(caller, teamId, 'view_team');
  const { now } = caller;
  const inDays = (days: number) => new Date(now.getTime() + days * dayMs);
  return { ...(await store.keys.overview({ teamId, now, soon: inDays(14), longAgo: inDays(-90) })), at: now };
}
