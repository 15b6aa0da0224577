import { LatchkeyError } from '../../domain/errors.ts';
import { noPreviousSigningSecret, type StoredKey } from '../../domain/key/api-key.ts';
import { parseFields } from '../../domain/parse-fields.ts';
import { parseOverlap, type RotatedSecret } from '../../domain/secret/rotated-secret.ts';
import { mintSecret } from '../../domain/secret/secret.ts';
import { digestSecret } from '../../domain/secret/secret-digest.ts';
import { Decision } from '../../store/changes/change.ts';
import type { Caller, Management } from '../management.ts';
import { changed, changeKey, ifRevisionMatches, keyWrite, unlessRevoked } from './change-key.ts';

export interface RotateKeyInput {
  /** How long the previous secret is still accepted: at most 30 days. Default: 0. */
  readonly overlapSeconds?: number | null | undefined;
  readonly ifRevision?: readonly string[] | null | undefined;
}

export interface RotatedKey {
  readonly apiKey: StoredKey;
  /** The full new key. It is not stored. */
  readonly secret: string;
}

/**
 * Replaces the secret of a key. The previous secret stays valid during the overlap; older secrets do not. A disabled key
 * stays disabled, and gets no overlap: after a leak, it is disabled, rotated, and enabled with the new secret alone. If the
 * call may be repeated, send `ifRevision`: a second rotation can invalidate the secret in use. Needs `manage_keys`.
 * Throws KEY_NOT_FOUND, FORBIDDEN, BAD_USER_INPUT (overlapSeconds), KEY_REVOKED, KEY_DISABLED, PRECONDITION_FAILED,
 * RATE_LIMITED, UNAVAILABLE.
 */
export async function rotateKey(
  management: Management,
  caller: Caller,
  id: string,
  { overlapSeconds, ifRevision }: RotateKeyInput = {},
): Promise<RotatedKey> {
  const { keyTag, peppers, randomBytes } = management;
  const overlapMs = 1000 * parseFields({ overlapSeconds: parseOverlap(overlapSeconds ?? 0) }).overlapSeconds;
  const decide = unlessRevoked((key, revision) => {
    if (key.disabledAt !== null && overlapMs > 0) throw new LatchkeyError('KEY_DISABLED', noOverlapWhileDisabled);
    const { secret, prefix } = mintSecret(keyTag, key.env, randomBytes);
    const to = { prefix, digest: digestSecret(secret, peppers.current), pepperId: peppers.current.id };
    const apiKey = rotatedTo(to, { ...key, revision }, caller.now, overlapMs);
    const rotated = replacedSecret(key, caller.now);
    return new Decision({ apiKey, secret }, { ...keyWrite(caller, 'KEY_ROTATED', key, apiKey), rotated });
  });
  return await changeKey(management, caller, id, ifRevisionMatches(management, ifRevision, decide), management);
}

export const noOverlapWhileDisabled =
  'The key is disabled. Rotate it without an overlap, after which it stays disabled, or enable it first.';

/** Returns the key with another secret, and the one before it accepted until the overlap ends. */
export function rotatedTo(
  secret: Pick<StoredKey, 'prefix' | 'digest' | 'pepperId'>,
  key: StoredKey,
  now: Date,
  overlapMs: number,
): StoredKey {
  return {
    ...key,
    ...secret,
    secretVersion: key.secretVersion + 1,
    rotatedAt: now,
    previousPrefix: key.prefix,
    // Null without an overlap, so that the result does not depend on the clocks of other instances.
    previousExpiresAt: overlapMs === 0 ? null : new Date(now.getTime() + overlapMs),
  };
}

/** Returns the record of the secret that a key had. */
export function replacedSecret(key: StoredKey, rotatedAt: Date): RotatedSecret {
  const { id: keyId, digest, teamId, secretVersion: version, prefix, pepperId } = key;
  return { digest, keyId, teamId, version, prefix, pepperId, rotatedAt };
}

/**
 * Stops accepting the previous secret of a key and its previous signing secret. Changes nothing if there is no overlap.
 * Needs `manage_keys`.
 * Throws KEY_NOT_FOUND, FORBIDDEN, KEY_REVOKED, UNAVAILABLE.
 */
export async function endOverlap(management: Management, caller: Caller, id: string): Promise<StoredKey> {
  const decide = unlessRevoked((key, revision) => {
    if (key.previousExpiresAt === null && key.previousSigningEnvelope === null) return new Decision(key);
    // Null instead of the current time, because the clock of another instance may be behind.
    const after = { ...key, previousExpiresAt: null, ...noPreviousSigningSecret, revision };
    return changed(caller, 'OVERLAP_ENDED', key, after);
  });
  return await changeKey(management, caller, id, decide, 'restrict');
}
