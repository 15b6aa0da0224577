import { isDeepStrictEqual } from 'node:util';
import type { ApiKey } from '../../domain/key/api-key.ts';
import type { KeyRing } from '../../domain/secret/key-ring.ts';
import { kekIdOf } from '../../domain/secret/sealed-secret.ts';
import type { RandomBytes } from '../../domain/secret/secret.ts';
import { openSigningSecret, type SigningSecretOwner, sealSigningSecret } from '../../domain/secret/signing-secret.ts';
import { openWebhookSecret, sealWebhookSecret } from '../../domain/webhook/signature.ts';
import { pause, systemScheduler } from '../../lib/scheduler.ts';
import { Decision } from '../../store/changes/change.ts';
import { keyWithId } from '../../store/changes/key-state.ts';
import { managementKeyWithId, writeManagementKey } from '../../store/rows/management-keys.ts';
import { webhookWithId, writeWebhook } from '../../store/rows/webhooks.ts';
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
 * Re-encrypts every signing secret, of keys, management keys and webhooks, with the current key-encryption key, while services run.
 * Writes each secret like any change, so that a concurrent rotation is never undone and no cache keeps an old envelope.
 * Can be stopped and repeated, because re-encrypted secrets are skipped.
 */
export async function rewrapSigningSecrets(parts: RewrapParts): Promise<RewrapResult> {
  const { signingKeks, onProgress } = parts;
  const problems: string[] = [];
  let rewrapped = 0;
  const isOld = (envelope: string) => kekIdOf(envelope) !== signingKeks.current.id;
  for (const { read, rewrapOne } of [keysOf(parts), managementKeysOf(parts), webhooksOf(parts)]) {
    let after: string | null = null;
    for (;;) {
      const owners: readonly SealedOwner[] = await read(after);
      after = owners.at(-1)?.id ?? null;
      if (after === null) break;
      const old = owners.filter(({ envelopes }) => envelopes.some(isOld));
      if (old.length === 0) continue;
      const startedAt = performance.now();
      const outcomes = await Promise.all(old.map(({ id }) => rewrapOne(id)));
      problems.push(...outcomes.filter((outcome) => typeof outcome === 'string'));
      rewrapped += outcomes.filter((outcome) => outcome === true).length;
      onProgress({ rewrapped, problems });
      // Pauses as long as the batch took, because SQLite does not queue writers and the services need to write too.
      await pause(systemScheduler, performance.now() - startedAt);
    }
  }
  return { rewrapped, problems };
}

interface SealedOwner {
  readonly id: string;
  readonly envelopes: readonly string[];
}

/** How to read and to re-encrypt the secrets of one kind of owner. */
interface Owners {
  /** Lists owners ordered by id, after the last one of the previous page. */
  readonly read: (after: string | null) => Promise<readonly SealedOwner[]>;
  /** Returns whether a secret had to be re-encrypted, or an error message. */
  readonly rewrapOne: (id: string) => Promise<boolean | string>;
}

function keysOf(parts: RewrapParts): Owners {
  const { keys } = parts.store;
  return { read: (after) => keys.sealed(after, batchSize), rewrapOne: (id) => rewrapKey(parts, id) };
}

function managementKeysOf(parts: RewrapParts): Owners {
  const { managementKeys } = parts.store;
  return {
    read: async (after) =>
      (await managementKeys.sealed(after, batchSize)).map(({ id, signingEnvelope }) => ({
        id,
        envelopes: signingEnvelope === null ? [] : [signingEnvelope],
      })),
    rewrapOne: (id) => rewrapManagementKey(parts, id),
  };
}

function webhooksOf(parts: RewrapParts): Owners {
  const { webhooks } = parts.store;
  return { read: (after) => webhooks.sealed(after, batchSize), rewrapOne: (id) => rewrapWebhook(parts, id) };
}

async function rewrapKey(parts: RewrapParts, keyId: string): Promise<boolean | string> {
  return await parts.store.changes.submit({
    queueKey: 'operator',
    load: keyWithId(keyId),
    decide: (key): Decision<boolean | string> => {
      // The key may have been purged since it was read.
      if (key === null) return new Decision(false);
      try {
        const rewrapped: ApiKey = {
          ...key,
          signingEnvelope: rewrapEnvelope(parts, key.signingEnvelope, { keyId, version: key.signingVersion }),
          previousSigningEnvelope: rewrapEnvelope(parts, key.previousSigningEnvelope, {
            keyId,
            version: key.previousSigningVersion ?? 0,
          }),
        };
        return isDeepStrictEqual(rewrapped, key) ? new Decision(false) : new Decision(true, { key: rewrapped });
      } catch (error) {
        return new Decision(failureOf(keyId, error));
      }
    },
  });
}

async function rewrapManagementKey(parts: RewrapParts, keyId: string): Promise<boolean | string> {
  return await parts.store.changes.submit({
    queueKey: 'operator',
    load: managementKeyWithId(keyId),
    decide: (key): Decision<boolean | string> => {
      if (key === null) return new Decision(false);
      const { signingEnvelope: old, signingVersion: version } = key;
      try {
        const signingEnvelope = rewrapEnvelope(parts, old, { keyId, version });
        if (signingEnvelope === old) return new Decision(false);
        return new Decision(true, { rows: [writeManagementKey({ ...key, signingEnvelope })] });
      } catch (error) {
        return new Decision(failureOf(keyId, error));
      }
    },
  });
}

/** Writes nothing to the log, as for keys. So the version stays: the deliverer learns of new versions from the log. */
async function rewrapWebhook({ store, signingKeks, randomBytes }: RewrapParts, id: string): Promise<boolean | string> {
  return await store.changes.submit({
    queueKey: 'operator',
    load: webhookWithId(id),
    decide: (webhook): Decision<boolean | string> => {
      // It may have been deleted since it was read.
      if (webhook === null) return new Decision(false);
      const reseal = (envelope: string, version: number) => {
        if (kekIdOf(envelope) === signingKeks.current.id) return envelope;
        const owner = { webhookId: id, version };
        const secret = openWebhookSecret(envelope, webhook.signature, owner, signingKeks);
        return sealWebhookSecret(secret, owner, signingKeks, randomBytes);
      };
      const { secretEnvelope, previousSecretEnvelope: previous, secretVersion } = webhook;
      try {
        const sealed = {
          secretEnvelope: reseal(secretEnvelope, secretVersion),
          previousSecretEnvelope: previous === null ? null : reseal(previous, secretVersion - 1),
        };
        const isUnchanged = sealed.secretEnvelope === secretEnvelope && sealed.previousSecretEnvelope === previous;
        if (isUnchanged) return new Decision(false);
        return new Decision(true, { rows: [writeWebhook({ ...webhook, ...sealed })] });
      } catch (error) {
        return new Decision(failureOf(id, error));
      }
    },
  });
}

function failureOf(id: string, error: unknown): string {
  return `${id}: ${error instanceof Error ? error.message : String(error)}`;
}

function rewrapEnvelope(
  { signingKeks, randomBytes }: RewrapParts,
  envelope: string | null,
  owner: SigningSecretOwner,
): string | null {
  if (envelope === null || kekIdOf(envelope) === signingKeks.current.id) return envelope;
  return sealSigningSecret(openSigningSecret(envelope, owner, signingKeks), owner, signingKeks, randomBytes);
}
