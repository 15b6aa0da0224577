import { type ApiKey, noSigning } from '../../domain/key/api-key.ts';
import { releasedDigest } from '../../domain/secret/imported-digest.ts';
import type { Store } from '../../store/store.ts';
import { auditEntry, type Caller } from '../management.ts';

export interface Release extends Pick<Caller, 'requestId' | 'now'> {
  readonly keyId: string;
}

/**
 * Revokes an imported key and removes its digest, so that another team's key with the same secret is accepted. Only for
 * an operator who knows that the other team owns the secret. Returns null for an unknown id. Throws UNAVAILABLE.
 */
export async function releaseKey({ store }: { readonly store: Store }, release: Release): Promise<ApiKey | null> {
  const { keyId, requestId, now } = release;
  const session = { subject: 'operator', teams: new Map(), teamNames: new Map() };
  const caller: Caller = { session, actorKind: 'OPERATOR', source: null, requestId, now };
  return await store.changes.submit<ApiKey | null>({
    kind: 'existing',
    keyId,
    queueKey: 'operator',
    decide: (before) => {
      if (before === null) return { answer: null };
      if (before.digest === releasedDigest(keyId)) return { answer: before };
      const key: ApiKey = {
        ...before,
        digest: releasedDigest(keyId),
        revokedAt: before.revokedAt ?? now,
        ...noSigning,
        previousExpiresAt: null,
      };
      const entry = auditEntry(caller, 'KEY_REVOKED', before, key);
      const changes = [...entry.changes, { field: 'digestReleased', before: false, after: true }];
      return { answer: key, write: { key, audit: { ...entry, changes } } };
    },
  });
}
