import { LatchkeyError } from '../../domain/errors.ts';
import type { Fence } from '../../domain/fence/fence.ts';
import { accessOf } from '../../domain/key/permission.ts';
import { hasPassed } from '../../domain/moment.ts';
import { Decision } from '../../store/changes/change.ts';
import { fenceWithId, removeFence } from '../../store/rows/fences.ts';
import type { Store } from '../../store/store.ts';
import { authorizeTeam, type Caller, forbidden, type Management, systemCaller } from '../management.ts';
import { fenceEntry } from './fence-entry.ts';

/**
 * Lifts a fence: the keys that it covered work as before, unless another one covers them. Needs `manage_keys` on its team.
 * Throws FENCE_NOT_FOUND, FORBIDDEN, RATE_LIMITED, UNAVAILABLE.
 */
export async function liftFence({ store, budget }: Management, caller: Caller, id: string): Promise<void> {
  const { teamId } = authorizeFence(caller, await store.fences.find(id));
  budget.check(teamId);
  await store.changes.submit(
    budget.counted<void, Fence | null>(
      {
        queueKey: teamId,
        caller,
        load: fenceWithId(id),
        decide: (found) => lifted(caller, authorizeFence(caller, found)),
      },
      undefined,
      liftCost,
    ),
  );
}

/** Returns the fences of a team, oldest first. Needs `view_team`. Throws FORBIDDEN, UNAVAILABLE. */
export async function listFences({ store }: Management, caller: Caller, teamId: string): Promise<readonly Fence[]> {
  authorizeTeam(caller, teamId, 'view_team');
  return await store.fences.list(teamId);
}

/** Counts as so many changes, because edges then ask for all their keys again, also those of other teams. */
const liftCost = 50;
const endedAtOnce = 100;

/** Removes the fences whose time is over, which freeze nothing anymore, and tells their teams. */
export async function endFences(store: Pick<Store, 'changes' | 'fences'>, now: Date): Promise<void> {
  const caller = systemCaller(now);
  const ended = await store.fences.ended(now, endedAtOnce);
  for (const { id, teamId } of ended) {
    await store.changes.submit<void, Fence | null>({
      queueKey: teamId,
      load: fenceWithId(id),
      // Another instance may have removed it.
      decide: (fence) =>
        fence !== null && hasPassed(fence.until, now) ? lifted(caller, fence) : new Decision(undefined),
    });
  }
  if (ended.length === endedAtOnce) await endFences(store, now);
}

function lifted(caller: Caller, fence: Fence): Decision<void> {
  const entries = [fenceEntry(caller, 'KEYS_UNFROZEN', fence)];
  return new Decision(undefined, { entries, rows: [removeFence(fence.id)], concernsVerdicts: true });
}

/** Callers of other teams get FENCE_NOT_FOUND, as for an unknown id. */
function authorizeFence({ session }: Caller, fence: Fence | null): Fence {
  const found = fence === null ? 'none' : accessOf(session, fence.teamId, 'manage_keys');
  if (fence === null || found === 'none') throw new LatchkeyError('FENCE_NOT_FOUND', 'There is no fence with this id.');
  if (found === 'lacking') throw forbidden('manage_keys');
  return fence;
}
