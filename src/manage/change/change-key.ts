import type { AuditAction, AuditChange } from '../../domain/audit-entry.ts';
import { LatchkeyError } from '../../domain/errors.ts';
import type { ApiKey, StoredKey } from '../../domain/key/api-key.ts';
import { type Change, Decision, type Write } from '../../store/changes/change.ts';
import { keyWithId } from '../../store/changes/key-state.ts';
import { auditEntry, authorizeKey, type Caller, type Management } from '../management.ts';
import { type OnViolation, policed } from '../policy/policed.ts';
import type { ChangeBudget } from './change-budget.ts';

/** Decides on a change from the key's current state. `revision` is the key's new revision, if the decision writes. */
export type Decide<Answer> = (key: StoredKey, revision: bigint) => Decision<Answer>;

/**
 * How a change of a key is limited. `budget`: for changes that a caller can repeat without limit, which are rejected with
 * RATE_LIMITED once it is used up. `restrict`: for changes that only take rights away, which no policy forbids, and which
 * must be as fast and as certain as a revocation.
 */
export type ChangeKind = { readonly budget: ChangeBudget } | 'restrict' | 'always';

/**
 * Checks `manage_keys` on the key's team and changes the key. Calls `decide` first without a transaction and, only if
 * it would write, again in a transaction.
 */
export async function changeKey<Answer>(
  management: Management,
  caller: Caller,
  keyId: string,
  decide: Decide<Answer>,
  kind: ChangeKind,
): Promise<Answer> {
  const { store } = management;
  // Rejects the call before it is queued. The check stays valid, because a key never changes its team.
  const key = authorizeKey(caller, await store.keys.find(keyId), 'manage_keys');
  if (typeof kind === 'object') kind.budget.check(key.teamId);
  const unchanged = unchangedBy(decide, key);
  if (unchanged === null) return await queueChange(management, caller, key, decide, kind);
  const revision = await store.changes.waitForLease();
  const answer = unchanged();
  caller.changed?.(revision);
  return answer;
}

/** Calls `decide` with the current state of the key, in the transaction that writes the change and its audit entry. */
export async function queueChange<Answer>(
  management: Management,
  caller: Caller,
  found: StoredKey,
  decide: Decide<Answer>,
  kind: ChangeKind,
  onViolation?: OnViolation<Answer>,
): Promise<Answer> {
  const { store } = management;
  const { id, teamId } = found;
  const change: Change<Answer, StoredKey | null> = {
    queueKey: teamId,
    caller,
    load: keyWithId(id),
    decide: (key, revision) => decide(authorizeKey(caller, key, 'manage_keys'), revision),
  };
  if (kind === 'restrict') return await store.changes.submit({ ...change, load: { ...keyWithId(id), known: found } });
  const decided = policed(management, caller, teamId, change, onViolation);
  return await store.changes.submit(kind === 'always' ? decided : kind.budget.counted(decided));
}

/** Returns null if `decide` would write. Otherwise, returns a function that answers or throws as `decide` did. */
export function unchangedBy<Answer>(decide: Decide<Answer>, key: StoredKey): (() => Answer) | null {
  try {
    const { answer, write } = decide(key, key.revision);
    return write === undefined ? () => answer : null;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** Makes a decision throw KEY_REVOKED for a revoked key. */
export function unlessRevoked<Answer>(decide: Decide<Answer>): Decide<Answer> {
  return (key, revision) => {
    if (key.revokedAt !== null) throw new LatchkeyError('KEY_REVOKED', "The key is revoked and can't be changed.");
    return decide(key, revision);
  };
}

/**
 * Lets a decision write only if the key has one of the revisions. A decision that writes nothing succeeds anyway, so that
 * a caller can repeat a change whose response was lost (RFC 9110, section 13.1.1).
 */
export function ifRevisionMatches<Answer>(
  { revisions }: Management,
  ifRevision: readonly string[] | null | undefined,
  decide: Decide<Answer>,
): Decide<Answer> {
  return (key, revision) => {
    const decision = decide(key, revision);
    if (decision.write === undefined || ifRevision == null) return decision;
    if (ifRevision.includes(revisions.encode(key.revision))) return decision;
    const message = 'The key has another revision. Nothing was changed. Read the key again.';
    throw new LatchkeyError('PRECONDITION_FAILED', message);
  };
}

/** Returns a decision that writes the changed key with an audit entry, and answers with the key. */
export function changed(
  caller: Caller,
  action: AuditAction,
  before: ApiKey,
  after: StoredKey,
  furtherChanges?: readonly AuditChange[],
): Decision<StoredKey> {
  return new Decision(after, keyWrite(caller, action, before, after, furtherChanges));
}

/** Returns the write of a changed key with its audit entry. */
export function keyWrite(
  caller: Caller,
  action: AuditAction,
  before: ApiKey,
  after: ApiKey,
  furtherChanges: readonly AuditChange[] = [],
): Write {
  const entry = auditEntry(caller, action, before, after);
  const entries = [{ ...entry, changes: [...entry.changes, ...furtherChanges] }];
  return { key: after, entries };
}
