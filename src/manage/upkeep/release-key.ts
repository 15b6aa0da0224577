import { type ApiKey, noSigning } from '../../domain/key/api-key.ts';
import { releasedDigest } from '../../domain/secret/imported-digest.ts';
import type { Store } from '../../store/store.ts';
import { changed } from '../change/change-key.ts';
import { type Caller, operatorCaller } from '../management.ts';

export interface Release extends Pick<Caller, 'requestId' | 'now'> {
  readonly keyId: string;
}

/**
 * Revokes an imported key and removes its digest, so that another team's key with the same secret is accepted. Only for
 * an operator who knows that the other team owns the secret. Returns null for an unknown id. Throws UNAVAILABLE.
 */
export async function releaseKey({ store }: { readonly store: Store }, release: Release): Promise<ApiKey | null> {
  const { keyId } = release;
  const caller = operatorCaller(release);
  return await store.changes.submit<ApiKey | null>({
    kind: 'existing',
    keyId,
    queueKey: 'operator',
    decide: (before) => {
      if (before === null) return { answer: null };
      if (before.digest === releasedDigest(keyId)) return { answer: before };
      return changed<ApiKey>(caller, 'KEY_REVOKED', before, releasedKey(before, caller), [digestReleased]);
    },
  });
}

/** The further change in the audit entry of a release: the digest itself is never shown. */
export const digestReleased = { field: 'digestReleased', before: false, after: true } as const;

export function releasedKey<Key extends ApiKey>(key: Key, { now }: Pick<Caller, 'now'>): Key {
  const digest = releasedDigest(key.id);
  return { ...key, digest, revokedAt: key.revokedAt ?? now, ...noSigning, previousExpiresAt: null };
}
