import type { UsageHour } from '../domain/usage-hour.ts';
import { authoriseKey, type Caller } from './caller.ts';
import { Fields } from './fields.ts';
import type { Management } from './management.ts';

export interface UsageInput {
  readonly keyId: string;
  readonly from: Date;
  readonly to: Date;
}

const longestMs = 31 * 86_400_000;

/**
 * How often a key was verified, by hour and verdict, oldest first. Needs `view_team`.
 * Throws KEY_NOT_FOUND, FORBIDDEN, BAD_USER_INPUT (to), UNAVAILABLE.
 */
export async function readUsage(
  { store }: Management,
  caller: Caller,
  { keyId, from, to }: UsageInput,
): Promise<UsageHour[]> {
  authoriseKey(caller, await store.keys.find(keyId), 'view_team');
  const fields = new Fields();
  if (to.getTime() < from.getTime()) fields.refuse('to', 'must not be before from');
  else if (to.getTime() - from.getTime() > longestMs) fields.refuse('to', 'must be at most 31 days after from');
  fields.done(undefined);
  return await store.usage.hourly(keyId, from, to);
}
