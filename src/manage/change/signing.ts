import { LatchkeyError } from '../../domain/errors.ts';
import { type ApiKey, noPreviousSigningSecret, noSigning, type StoredKey } from '../../domain/key/api-key.ts';
import { parseFields } from '../../domain/parse-fields.ts';
import { parseOverlap } from '../../domain/secret/rotated-secret.ts';
import { mintSigningSecret, sealSigningSecret } from '../../domain/secret/signing-secret.ts';
import { Decision } from '../../store/changes/change.ts';
import type { Caller, Management } from '../management.ts';
import { changed, changeKey, keyWrite, unlessRevoked } from './change-key.ts';

export interface IssuedSigningSecret {
  readonly apiKey: StoredKey;
  /** 64 hexadecimal characters. It is stored only encrypted. */
  readonly signingSecret: string;
}

/**
 * From now on, requests with the key must be signed. Needs `manage_keys`.
 * Throws KEY_NOT_FOUND, FORBIDDEN, KEY_REVOKED, SIGNING_ALREADY_ENABLED, RATE_LIMITED, UNAVAILABLE.
 */
export async function enableSigning(management: Management, caller: Caller, id: string): Promise<IssuedSigningSecret> {
  const decide = unlessRevoked((key, revision) => {
    if (key.signingEnvelope !== null) {
      const message = 'Signing is enabled already. Rotate the secret to get a new one.';
      throw new LatchkeyError('SIGNING_ALREADY_ENABLED', message);
    }
    const issued = withNewSigningSecret(management, { ...key, revision });
    return new Decision(issued, keyWrite(caller, 'SIGNING_ENABLED', key, issued.apiKey));
  });
  return await changeKey(management, caller, id, decide, management);
}

/**
 * Replaces the signing secret. The previous secret stays valid during the overlap; older secrets do not. Needs
 * `manage_keys`.
 * Throws KEY_NOT_FOUND, FORBIDDEN, BAD_USER_INPUT, KEY_REVOKED, SIGNING_NOT_ENABLED, RATE_LIMITED, UNAVAILABLE.
 */
export async function rotateSigningSecret(
  management: Management,
  caller: Caller,
  id: string,
  overlapSeconds = 0,
): Promise<IssuedSigningSecret> {
  const overlapMs = 1000 * parseFields({ overlapSeconds: parseOverlap(overlapSeconds) }).overlapSeconds;
  const decide = unlessRevoked((key, revision) => {
    if (key.signingEnvelope === null) {
      throw new LatchkeyError('SIGNING_NOT_ENABLED', 'Signing is not enabled; there is no secret to rotate.');
    }
    const previous = {
      previousSigningEnvelope: key.signingEnvelope,
      previousSigningVersion: key.signingVersion,
      previousSigningExpiresAt: new Date(caller.now.getTime() + overlapMs),
    };
    const before = { ...key, ...(overlapMs === 0 ? noPreviousSigningSecret : previous), revision };
    const issued = withNewSigningSecret(management, before);
    return new Decision(issued, keyWrite(caller, 'SIGNING_ROTATED', key, issued.apiKey));
  });
  return await changeKey(management, caller, id, decide, management);
}

/**
 * Stops requiring signatures and deletes the secret. Changes nothing if signing is disabled. Needs `manage_keys`.
 * Throws KEY_NOT_FOUND, FORBIDDEN, KEY_REVOKED, POLICY_VIOLATED, UNAVAILABLE.
 */
export async function disableSigning(management: Management, caller: Caller, id: string): Promise<StoredKey> {
  const decide = unlessRevoked((key, revision) => {
    if (key.signingEnvelope === null) return new Decision(key);
    return changed(caller, 'SIGNING_DISABLED', key, { ...key, ...noSigning, revision });
  });
  return await changeKey(management, caller, id, decide, 'always');
}

export function withNewSigningSecret<Key extends ApiKey>(
  { signingKeks, randomBytes }: Management,
  key: Key,
): { readonly apiKey: Key; readonly signingSecret: string } {
  const secret = mintSigningSecret(randomBytes);
  const signingVersion = key.signingVersion + 1;
  const owner = { keyId: key.id, version: signingVersion };
  const signingEnvelope = sealSigningSecret(secret, owner, signingKeks, randomBytes);
  return { apiKey: { ...key, signingVersion, signingEnvelope }, signingSecret: secret.toString('hex') };
}
