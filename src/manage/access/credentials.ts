/** What management keys and trust rules have in common: both let programs in. */
import { LatchkeyError } from '../../domain/errors.ts';
import { accessOf } from '../../domain/key/permission.ts';
import { type Caller, forbidden } from '../management.ts';

/** How a credential of the kind is ended. */
const endings = { 'management key': 'Revoke', 'trust rule': 'Delete' } as const;

type What = keyof typeof endings;

/** Returns what was found, if the caller may give access. Callers of other teams get CREDENTIAL_NOT_FOUND, as for an unknown id. */
export function authorizeCredential<Found extends { readonly teamId: string }>(
  { session }: Caller,
  found: Found | null,
  what: What,
): Found {
  const access = found === null ? 'none' : accessOf(session, found.teamId, 'manage_access');
  if (found === null || access === 'none') {
    throw new LatchkeyError('CREDENTIAL_NOT_FOUND', `There is no ${what} with this id.`);
  }
  if (access === 'lacking') throw forbidden('manage_access');
  return found;
}

export function rejectAbove(count: number, limit: number, what: What): void {
  if (count < limit) return;
  const message = `The team has ${count} ${what}s, which is the limit. ${endings[what]} one first.`;
  throw new LatchkeyError('CREDENTIAL_LIMIT_REACHED', message);
}

/**
 * The queue key of changes that end what lets a program in. They take turns with the other changes of the team, of which a
 * thief can have a hundred waiting.
 */
export function revocationsOf(teamId: string): string {
  return `revocations ${teamId}`;
}
