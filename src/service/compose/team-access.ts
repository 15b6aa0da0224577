import type { Session } from '../../domain/key/permission.ts';
import { recordAccess } from '../../manage/members/record-access.ts';
import type { Store } from '../../store/store.ts';
import { AccessRecorder } from '../../usage/access-recorder.ts';
import type { Report } from '../processes/throttled-report.ts';

/** Records who has access to teams, from sessions, renewals and logouts. No call waits for it. */
export function recordTeamAccess(store: Store, maxSessionSeconds: number, report: Report) {
  const recorder = new AccessRecorder(
    { addAccess: (access) => recordAccess(store, maxSessionSeconds, access) },
    (error) => report(error, 'who has access to teams could not be written; it is kept'),
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
