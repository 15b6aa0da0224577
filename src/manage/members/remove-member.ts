import { personOf } from '../../domain/access/person.ts';
import { parseFields } from '../../domain/parse-fields.ts';
import { authorizeTeam, type Caller, type Management } from '../management.ts';
import { parseActor } from '../read/key-filter.ts';
import { leaveBy } from './leave.ts';
import { type CountedMember, counted } from './read-members.ts';

/**
 * Records that a person has left a team, and changes neither keys nor access. Writes nothing if the person had left. Needs
 * `manage_keys`. Throws FORBIDDEN, BAD_USER_INPUT (subject), RATE_LIMITED, UNAVAILABLE.
 */
export async function removeMember(
  { store, budget }: Management,
  caller: Caller,
  teamId: string,
  written: string,
): Promise<CountedMember> {
  authorizeTeam(caller, teamId, 'manage_keys');
  const { subject } = parseFields({ subject: parseActor(personOf(written)) });
  budget.check(teamId);
  const known = await store.teamMembers.find(teamId, subject);
  const member =
    known !== null && known.leftAt !== null
      ? known
      : await store.changes.submit(budget.counted(leaveBy(caller, { teamId, subject })));
  const [withCount] = counted(store, teamId, caller.now, [member]);
  if (withCount === undefined) throw new RangeError('one member was given');
  return withCount;
}
