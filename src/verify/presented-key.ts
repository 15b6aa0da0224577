import type { CachedKey } from './cached-key.ts';

/** A key, and which of its secrets was presented. */
export type PresentedKey = Pick<CachedKey, 'id' | 'teamId' | 'presentedVersion'>;

/** Returns what counters of a secret are found by. It is the id of the key for the first secret, which costs nothing. */
export function secretName({ id, presentedVersion }: PresentedKey): string {
  return presentedVersion === 1 ? id : `${id} ${presentedVersion}`;
}
