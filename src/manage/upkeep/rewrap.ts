import { isDeepStrictEqual } from 'node:util';
import type { ApiKey } from '../../domain/key/api-key.ts';
import type { KeyRing } from '../../domain/secret/key-ring.ts';
import { kekIdOf } from '../../domain/secret/sealed-secret.ts';
import type { RandomBytes } from '../../domain/secret/secret.ts';
import { openSigningSecret, type SigningSecretOwner, sealSigningSecret } from '../../domain/secret/signing-secret.ts';
import type { Decision } from '../../store/changes/change.ts';
import type { Store } from '../../store/store.ts';

export interface RewrapParts {
  readonly store: Store;
  readonly signingKeks: KeyRing;
  readonly randomBytes: RandomBytes;
  readonly onProgress: (progress: RewrapResult) => void;
}

export interface RewrapResult {
  readonly rewrapped: number;
  /** The error of each secret that could not be opened. */
  readonly problems: readonly string[];
}

const batchSize = 100;

/**
 * Re-encrypts every signing secret with the current key-encryption key, while services run. Writes each secret like any
 * change of a key, so that a concurrent rotation is never undone and no cache keeps an old envelope. Can be stopped and
 * repeated, because re-encrypted secrets are skipped.
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
    const isOld = (envelope: string) => kekIdOf(envelope) !== signingKeks.current.id;
    const old = keys.filter(({ envelopes }) => envelopes.some(isOld));
    if (old.length === 0) continue;
    const startedAt = performance.now();
    const outcomes = await Promise.all(old.map(({ id }) => rewrap(parts, id)));
    problems.push(...outcomes.filter((outcome) => typeof outcome === 'string'));
    rewrapped += outcomes.filter((outcome) => outcome === true).length;
    onProgress({ rewrapped, problems });
    // Pauses as long as the batch took, because SQLite does not queue writers and the services need to write too.
    await new Promise((resolve) => setTimeout(resolve, performance.now() - startedAt));
  }
}

/** Returns whether a secret of the key had to be re-encrypted, or an error message. */
async function rewrap(parts: RewrapParts, keyId: string): Promise<boolean | string> {
  return await parts.store.changes.submit({
    kind: 'existing',
    keyId,
    queueKey: 'operator',
    decide: (key): Decision<boolean | string> => {
      // The key may have been purged since it was read.
      if (key === null) return { answer: false };
      try {
        const rewrapped: ApiKey = {
          ...key,
          signingEnvelope: rewrapEnvelope(parts, key.signingEnvelope, { keyId, version: key.signingVersion }),
          previousSigningEnvelope: rewrapEnvelope(parts, key.previousSigningEnvelope, {
            keyId,
            version: key.previousSigningVersion ?? 0,
          }),
        };
        return isDeepStrictEqual(rewrapped, key) ? { answer: false } : { answer: true, write: { key: rewrapped } };
      } catch (error) {
        return { answer: `${keyId}: ${error instanceof Error ? error.message : String(error)}` };
      }
    },
  });
}

function rewrapEnvelope(
  { signingKeks, randomBytes }: RewrapParts,
  envelope: string | null,
  owner: SigningSecretOwner,
): string | null {
  if (envelope === null || kekIdOf(envelope) === signingKeks.current.id) return envelope;
  return sealSigningSecret(openSigningSecret(envelope, owner, signingKeks), owner, signingKeks, randomBytes);
}
