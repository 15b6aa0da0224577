import { randomUUID } from 'node:crypto';
import type { Session } from '../../domain/key/permission.ts';
import { inBatches } from '../../manage/change/in-batches.ts';
import { leave } from '../../manage/members/leave.ts';
import type { Store } from '../../store/store.ts';
import { AccessRecorder, type RecordedAccess } from '../../usage/access-recorder.ts';
import type { Report } from '../processes/throttled-report.ts';

/** Records who has access to teams, from sessions, renewals and logouts. No call waits for it. */
export function recordTeamAccess(store: Store, maxSessionSeconds: number, report: Report) {
  const recorder = new AccessRecorder({ addAccess: (access) => write(store, maxSessionSeconds, access) }, (error) =>
    report(error, 'who has access to teams could not be written; it is kept'),
  );
  return {
    /** A session token or cookie was accepted. */
    used: ({ subject, teams }: Session, now: Date) => recorder.recordUse(subject, teamsWithAccess(teams), now),
    /** The identity provider gives exactly this access; none, if it ended all sessions of the person. */
    confirmed: ({ subject, teams }: Pick<Session, 'subject' | 'teams'>, now: Date) =>
      recorder.recordAll(subject, teamsWithAccess(teams), now),
    close: () => recorder.close(),
  };
}

/** A claim can name teams without a permission, or with unknown ones only. */
function teamsWithAccess(teams: Session['teams']): string[] {
  return [...teams].flatMap(([teamId, permissions]) => (permissions.size > 0 ? [teamId] : []));
}

async function write(store: Store, maxSessionSeconds: number, access: readonly RecordedAccess[]): Promise<void> {
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
    const by = {
      actor: 'latchkey',
      actorKind: 'SYSTEM',
      credentialId: null,
      source: null,
      requestId: randomUUID(),
      at,
    } as const;
    await inBatches(left, (batch) =>
      Promise.all(batch.map((teamId) => store.changes.submit(leave({ teamId, subject }, by)))),
    );
  }
}
