import type { AuditAction } from '../../domain/audit-entry.ts';
import type { StoredKey } from '../../domain/key/api-key.ts';
import { limits } from '../../domain/limits.ts';
import { parseFields, parseOptional } from '../../domain/parse-fields.ts';
import { parseLine } from '../../domain/text.ts';
import type { Parsed } from '../../lib/parsed.ts';
import type { Decision } from '../../store/changes/change.ts';
import { auditEntry, type Caller } from '../caller.ts';
import type { Management } from '../management.ts';
import { changeKey, changeKeyWithinBudget, type Decide, rejectRevoked } from './change-key.ts';

/**
 * Disables a key until it is enabled again. Changes nothing if it is disabled. The reason, of 1 to 200 characters, is for
 * the audit trail. Not limited by the change budget: like revoking, it must always work. Needs `manage_keys`.
 * Throws KEY_NOT_FOUND, FORBIDDEN, BAD_USER_INPUT (reason), KEY_REVOKED, UNAVAILABLE.
 */
export async function disableKey(
  management: Management,
  caller: Caller,
  id: string,
  reason?: string | null,
): Promise<StoredKey> {
  const decide = disabled(caller, parseFields({ reason: parseReason(reason) }).reason);
  return await changeKey(management, caller, id, decide);
}

/** Decides to disable a key, if it is enabled. */
export function disabled(caller: Caller, reason: string | null): Decide<StoredKey> {
  return (key, revision) => {
    rejectRevoked(key);
    if (key.disabledAt !== null) return { answer: key };
    return decision(caller, 'KEY_DISABLED', key, { ...key, disabledAt: caller.now, revision }, reason);
  };
}

/**
 * Enables a disabled key. Changes nothing if it is enabled. Needs `manage_keys`.
 * Throws KEY_NOT_FOUND, FORBIDDEN, BAD_USER_INPUT (reason), KEY_REVOKED, RATE_LIMITED, UNAVAILABLE.
 */
export async function enableKey(
  management: Management,
  caller: Caller,
  id: string,
  reason?: string | null,
): Promise<StoredKey> {
  const decide = enabled(caller, parseFields({ reason: parseReason(reason) }).reason);
  return await changeKeyWithinBudget(management, caller, id, decide);
}

/** Decides to enable a key, if it is disabled. */
export function enabled(caller: Caller, reason: string | null): Decide<StoredKey> {
  return (key, revision) => {
    rejectRevoked(key);
    if (key.disabledAt === null) return { answer: key };
    return decision(caller, 'KEY_ENABLED', key, { ...key, disabledAt: null, revision }, reason);
  };
}

export function parseReason(reason: string | null | undefined): Parsed<string | null> {
  return parseOptional(reason, (text) => parseLine(text, limits.reasonCharacters));
}

function decision(
  caller: Caller,
  action: AuditAction,
  before: StoredKey,
  after: StoredKey,
  reason: string | null,
): Decision<StoredKey> {
  const entry = auditEntry(caller, action, before, after);
  const changes =
    reason === null ? entry.changes : [...entry.changes, { field: 'reason', before: null, after: reason }];
  return { answer: after, write: { key: after, audit: { ...entry, changes } } };
}
