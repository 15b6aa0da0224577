import type { KeyRing } from '../domain/key-ring.ts';
import type { RandomBytes } from '../domain/secret.ts';
import { kekIdOf, openSigningSecret, sealSigningSecret } from '../domain/signing-secret.ts';
import type { Decision } from '../store/change.ts';
import type { Store } from '../store/store.ts';

export interface RewrapParts {
  readonly store: Store;
  readonly signingKeks: KeyRing;
  readonly randomBytes: RandomBytes;
  readonly onProgress: (progress: RewrapResult) => void;
}

export interface RewrapResult {
  readonly rewrapped: number;
  /** Why a secret could not be opened, for each of those. */
  readonly problems: readonly string[];
}

const batchSize = 100;

/**
 * Seals every signing secret with the current key-encryption key, while services run: each secret is opened and sealed
 * in the transaction that all changes of keys go through, so that a rotation at the same moment is never undone, and
 * each gets a revision, so that no cache keeps an old envelope. The audit trail says what people decided about keys;
 * this is the same secret under another lock, and is no entry in it.
 *
 * May be stopped at any moment and run again: what is done already is passed over.
 */
export async function rewrapSigningSecrets(parts: RewrapParts): Promise<RewrapResult> {
  const { store, signingKeks, onProgress } = parts;
  const problems: string[] = [];
  let rewrapped = 0;
  let after: string | null = null;
  for (;;) {
    const keys = await store.keys.sealed(after, batchSize);
    after = keys.at(-1)?.id ?? null;
    if (after === null) return { rewrapped, problems };
    const old = keys.filter(({ envelope }) => kekIdOf(envelope) !== signingKeks.current.id);
    if (old.length === 0) continue;
    const startedAt = performance.now();
    const outcomes = await Promise.all(old.map(({ id }) => rewrap(parts, id)));
    problems.push(...outcomes.filter((outcome) => typeof outcome === 'string'));
    rewrapped += outcomes.filter((outcome) => outcome === true).length;
    onProgress({ rewrapped, problems });
    // As long as it took: SQLite has no queue for its write lock, and the services' own changes must find room.
    await new Promise((resolve) => setTimeout(resolve, performance.now() - startedAt));
  }
}

/** Whether there was anything to do; or the problem. */
async function rewrap({ store, signingKeks, randomBytes }: RewrapParts, keyId: string): Promise<boolean | string> {
  return await store.changes.submit({
    kind: 'existing',
    keyId,
    decide: (key): Decision<boolean | string> => {
      // It may have been rotated, disabled or revoked since it was looked up.
      if (key === null || key.signingEnvelope === null) return { answer: false };
      if (kekIdOf(key.signingEnvelope) === signingKeks.current.id) return { answer: false };
      const owner = { keyId, version: key.signingVersion };
      let secret: Buffer;
      try {
        secret = openSigningSecret(key.signingEnvelope, owner, signingKeks);
      } catch (error) {
        return { answer: `${keyId}: ${error instanceof Error ? error.message : String(error)}` };
      }
      const signingEnvelope = sealSigningSecret(secret, owner, signingKeks, randomBytes);
      return { answer: true, write: { key: { ...key, signingEnvelope } } };
    },
  });
}
