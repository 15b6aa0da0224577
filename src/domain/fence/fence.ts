/**
 * A fence freezes keys of a team in an incident: from the moment at which it is answered, no verifier accepts a key that it
 * covers, however many there are, and also if they are created later. When it is lifted or ends, all is as it was.
 */
import type { KeyEnv } from '../key/key-env.ts';
import { normalized } from '../normalized.ts';

/** Which keys of the team are frozen: those that meet all conditions. Null and an empty list are no condition. */
export interface FenceScope {
  readonly env: KeyEnv | null;
  /** A key must have all of them. */
  readonly tags: readonly string[];
  readonly externalId: string | null;
  readonly responsible: string | null;
  readonly createdBefore: Date | null;
}

/** What a verdict depends on. */
export interface UpFence extends FenceScope {
  readonly teamId: string;
  /** The last moment at which it freezes keys; null if it does not end by itself. */
  readonly until: Date | null;
}

export interface Fence extends UpFence {
  readonly id: string;
  readonly reason: string;
  readonly createdAt: Date;
  /** The subject of the session, or the id of the program, that put it up. */
  readonly createdBy: string;
}

/** The fields of a key that conditions are about. Programs (domain/access) have neither environment, tags nor external id. */
export interface FenceableKey {
  readonly env: KeyEnv | null;
  readonly tags: readonly string[];
  readonly externalId: string | null;
  readonly responsible: string | null;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** The same conditions as those of a list of keys (store/rows/key-selection.ts), in the same spelling. */
export function covers(fence: FenceScope, key: FenceableKey): boolean {
  const { env, tags, externalId, responsible, createdBefore } = fence;
  if (env !== null && env !== key.env) return false;
  if (createdBefore !== null && !(key.createdAt < createdBefore.getTime())) return false;
  if (externalId !== null && !isSame(externalId, key.externalId)) return false;
  if (responsible !== null && !isSame(responsible, key.responsible)) return false;
  return tags.every((tag) => key.tags.some((other) => isSame(tag, other)));
}

function isSame(wanted: string, found: string | null): boolean {
  return found !== null && normalized(wanted) === normalized(found);
}

/** The last moment of a key that no fence covers. */
export const notFrozen = Number.NEGATIVE_INFINITY;

/**
 * Returns the last moment at which one of the fences freezes the key, in milliseconds since the epoch: Infinity if one does
 * not end by itself.
 */
export function frozenUntil(fences: readonly UpFence[], key: FenceableKey): number {
  let last = notFrozen;
  for (const fence of fences) {
    const until = fence.until?.getTime() ?? Number.POSITIVE_INFINITY;
    if (until > last && covers(fence, key)) last = until;
  }
  return last;
}
