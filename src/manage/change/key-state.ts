import type { AuditChange } from '../../domain/audit-entry.ts';
import { noSigning, type StoredKey } from '../../domain/key/api-key.ts';
import { limits } from '../../domain/limits.ts';
import { parseFields, parseOptional } from '../../domain/parse-fields.ts';
import { parseLine } from '../../domain/text.ts';
import type { Parsed } from '../../lib/parsed.ts';
import { Decision } from '../../store/changes/change.ts';
import { keyWithId } from '../../store/changes/key-state.ts';
import type { HolderCall } from '../../wire/control-plane.ts';
import type { Caller, Management } from '../management.ts';
import { changed, changeKey, type Decide, unlessRevoked } from './change-key.ts';

/**
 * Revokes a key permanently and deletes its signing secret. Revoking a revoked key changes nothing. Needs `manage_keys`.
 * Throws KEY_NOT_FOUND, FORBIDDEN, UNAVAILABLE.
 */
export async function revokeKey(management: Management, caller: Caller, id: string): Promise<StoredKey> {
  return await changeKey(management, caller, id, revoked(caller), 'restrict');
}

/** Decides to revoke a key, if it is not revoked. Does not check the permission. */
export function revoked(caller: Caller): Decide<StoredKey> {
  return (key, revision) => {
    if (key.revokedAt !== null) return new Decision(key);
    return changed(caller, 'KEY_REVOKED', key, { ...key, revokedAt: caller.now, ...noSigning, revision });
  };
}

/**
 * Revokes a key for a caller who presented its secret to the data plane. Sources, signature and expiry are not checked,
 * because a leaked key is found where it should not be used. Returns the revision of the state without the key, as callers
 * see it; null if there is no such key. Throws UNAVAILABLE.
 */
export async function revokeOwnKey(
  { store, revisions }: Management,
  keyId: string,
  call: HolderCall,
): Promise<string | null> {
  const session = { subject: `key:${keyId}`, teams: new Map(), teamNames: new Map() };
  const decide = revoked({ ...call, session, actorKind: 'KEY_HOLDER', credential: null });
  // Submitted also for a revoked key: an instance may accept the key until the earlier revocation has been answered.
  let newest = 0n;
  const found = await store.changes.submit({
    queueKey: `address ${call.source}`,
    caller: {
      credential: null,
      changed: (revision) => {
        newest = revision;
      },
    },
    load: keyWithId(keyId),
    decide: (key, revision) => (key === null ? new Decision(false) : new Decision(true, decide(key, revision).write)),
  });
  return found ? revisions.encode(newest) : null;
}

/**
 * Disables a key until it is enabled again. Changes nothing if it is disabled. The reason is for the audit trail. The
 * change budget does not apply, because disabling must always work, like revoking. Needs `manage_keys`.
 * Throws KEY_NOT_FOUND, FORBIDDEN, BAD_USER_INPUT (reason), KEY_REVOKED, UNAVAILABLE.
 */
export async function disableKey(
  management: Management,
  caller: Caller,
  id: string,
  reason?: string | null,
): Promise<StoredKey> {
  const decide = disabled(caller, parseFields({ reason: parseReason(reason) }).reason);
  return await changeKey(management, caller, id, decide, 'restrict');
}

export function disabled(caller: Caller, reason: string | null): Decide<StoredKey> {
  return unlessRevoked((key, revision) => {
    if (key.disabledAt !== null) return new Decision(key);
    return changed(caller, 'KEY_DISABLED', key, { ...key, disabledAt: caller.now, revision }, changeOf(reason));
  });
}

/**
 * Enables a disabled key. Changes nothing if it is enabled. Needs `manage_keys`.
 * Throws KEY_NOT_FOUND, FORBIDDEN, BAD_USER_INPUT (reason), KEY_REVOKED, POLICY_VIOLATED, RATE_LIMITED, UNAVAILABLE.
 */
export async function enableKey(
  management: Management,
  caller: Caller,
  id: string,
  reason?: string | null,
): Promise<StoredKey> {
  const decide = enabled(caller, parseFields({ reason: parseReason(reason) }).reason);
  return await changeKey(management, caller, id, decide, management);
}

export function enabled(caller: Caller, reason: string | null): Decide<StoredKey> {
  return unlessRevoked((key, revision) => {
    if (key.disabledAt === null) return new Decision(key);
    return changed(caller, 'KEY_ENABLED', key, { ...key, disabledAt: null, revision }, changeOf(reason));
  });
}

export function parseReason(reason: string | null | undefined): Parsed<string | null> {
  return parseOptional(reason, (text) => parseLine(text, limits.reasonCharacters));
}

function changeOf(reason: string | null): readonly AuditChange[] {
  return reason === null ? [] : [{ field: 'reason', before: null, after: reason }];
}
