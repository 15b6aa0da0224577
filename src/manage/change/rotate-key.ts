import { LatchkeyError } from '../../domain/errors.ts';
import type { StoredKey } from '../../domain/key/api-key.ts';
import { parseFields } from '../../domain/parse-fields.ts';
import { parseOverlap, type RotatedSecret } from '../../domain/secret/rotated-secret.ts';
import { mintSecret } from '../../domain/secret/secret.ts';
import { digestSecret } from '../../domain/secret/secret-digest.ts';
import { auditEntry, type Caller } from '../caller.ts';
import type { Management } from '../management.ts';
import { changeKeyWithinBudget, checkRevision, rejectRevoked } from './change-key.ts';

export interface RotateKeyInput {
  /** For how long the previous secret is accepted too: 0 to 30 days. Default: 0. */
  readonly overlapSeconds?: number | null | undefined;
  readonly ifRevision?: readonly string[] | null | undefined;
}

export interface RotatedKey {
  readonly apiKey: StoredKey;
  /** The full new key. It is not stored. */
  readonly secret: string;
}

/**
 * Replaces the secret of a key. The id, the settings and the audit trail stay. The previous secret is accepted for the
 * overlap; a secret before it ends at once. A caller that repeats a call whose response was lost should send
 * `ifRevision`: otherwise the secret that is in use would be the one that ends. Needs `manage_keys`.
 * Throws KEY_NOT_FOUND, FORBIDDEN, BAD_USER_INPUT (overlapSeconds), KEY_REVOKED, KEY_DISABLED, PRECONDITION_FAILED,
 * RATE_LIMITED, UNAVAILABLE.
 */
export async function rotateKey(
  management: Management,
  caller: Caller,
  id: string,
  { overlapSeconds, ifRevision }: RotateKeyInput = {},
): Promise<RotatedKey> {
  const overlapMs = 1000 * parseFields({ overlapSeconds: parseOverlap(overlapSeconds ?? 0) }).overlapSeconds;
  return await changeKeyWithinBudget(management, caller, id, (key, revision) => {
    rejectRevoked(key);
    if (key.disabledAt !== null)
      throw new LatchkeyError('KEY_DISABLED', 'The key is disabled. Enable it before you rotate it.');
    checkRevision(management, key, ifRevision);
    const { apiKey, secret } = withNewSecret(management, key, caller.now, overlapMs);
    const audit = auditEntry(caller, 'KEY_ROTATED', key, apiKey);
    const rotated = rotatedSecretOf(key, caller.now);
    return { answer: { apiKey: { ...apiKey, revision }, secret }, write: { key: apiKey, audit, rotated } };
  });
}

function withNewSecret(
  { keyTag, peppers, randomBytes }: Management,
  key: StoredKey,
  now: Date,
  overlapMs: number,
): RotatedKey {
  const { secret, prefix } = mintSecret(keyTag, key.env, randomBytes);
  const apiKey: StoredKey = {
    ...key,
    prefix,
    digest: digestSecret(secret, peppers.current),
    pepperId: peppers.current.id,
    secretVersion: key.secretVersion + 1,
    rotatedAt: now,
    previousPrefix: key.prefix,
    // Without an overlap there is no time to compare: no clock of another instance decides.
    previousExpiresAt: overlapMs === 0 ? null : new Date(now.getTime() + overlapMs),
  };
  return { apiKey, secret };
}

function rotatedSecretOf({ digest, id, teamId, secretVersion, prefix, pepperId }: StoredKey, now: Date): RotatedSecret {
  return { digest, keyId: id, teamId, version: secretVersion, prefix, pepperId, rotatedAt: now };
}
