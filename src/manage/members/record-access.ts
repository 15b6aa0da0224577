import { personOf } from '../../domain/access/person.ts';
import type { Store } from '../../store/store.ts';
import { inBatches } from '../change/in-batches.ts';
import { entryBy, systemCaller } from '../management.ts';
import { leave } from './leave.ts';

/** To which teams a person had access at a time. */
interface SeenAccess {
  readonly subject: string;
  readonly teamIds: readonly string[];
  readonly at: Date;
  /** Whether the person had access to no other team. */
  readonly isComplete: boolean;
}

/**
 * Writes which teams people were seen to have access to. Of people whose access is known completely, the other teams are
 * those that they have left.
 */
export async function recordAccess(
  store: Pick<Store, 'teamMembers' | 'changes'>,
  maxSessionSeconds: number,
  seenAccess: readonly SeenAccess[],
): Promise<void> {
  const access = seenAccess.map((one) => ({ ...one, subject: personOf(one.subject) }));
  const seen = access.flatMap(({ subject, teamIds, at, isComplete }) => {
    // A session that began before the person left can be used until it ends. What the provider says is newer.
    const returnsIfLeftBy = isComplete ? at : new Date(at.getTime() - maxSessionSeconds * 1000);
    return teamIds.map((teamId) => ({ teamId, subject, at, returnsIfLeftBy }));
  });
  await inBatches(seen, async (batch) => {
    await store.teamMembers.addSeen(batch);
    return batch;
  });
  for (const { subject, teamIds, at, isComplete } of access) {
    if (!isComplete) continue;
    const current = new Set(teamIds);
    const left = (await store.teamMembers.teamsOf(subject, at)).filter((teamId) => !current.has(teamId));
    const by = entryBy(systemCaller(at));
    await inBatches(left, (batch) =>
      Promise.all(batch.map((teamId) => store.changes.submit(leave({ teamId, subject }, by)))),
    );
  }
}
