import type { AuditAction } from '../../domain/audit-entry.ts';
import { LatchkeyError } from '../../domain/errors.ts';
import type { ApiKey, StoredKey } from '../../domain/key/api-key.ts';
import type { Decision, Write } from '../../store/changes/change.ts';
import { auditEntry, authorizeKey, type Caller } from '../caller.ts';
import type { Management } from '../management.ts';

export type Decide<Answer> = (key: StoredKey, revision: bigint) => Decision<Answer>;

/**
 * Changes an existing key. Checks `manage_keys` on its team, then decides on its current state, in the transaction that
 * also writes the change and its audit entry. A change that would write nothing takes no transaction. `decide` can be
 * called twice.
 */
export async function changeKey<Answer>(
  management: Management,
  caller: Caller,
  keyId: string,
  decide: Decide<Answer>,
): Promise<Answer> {
  // Rejects the call before it is queued. The check stays valid, because a key never changes its team.
  const key = authorizeKey(caller, await management.store.keys.find(keyId), 'manage_keys');
  return await change(management, caller, key, decide);
}

/**
 * Like `changeKey`, within the change budget of the key's team. For every change that a caller can repeat without limit.
 * Throws RATE_LIMITED if the budget is used up.
 */
export async function changeKeyWithinBudget<Answer>(
  management: Management,
  caller: Caller,
  keyId: string,
  decide: Decide<Answer>,
): Promise<Answer> {
  const { store, budget } = management;
  const key = authorizeKey(caller, await store.keys.find(keyId), 'manage_keys');
  await budget.check(key.teamId);
  return await change(management, caller, key, decide, (written) => budget.count(written));
}

async function change<Answer>(
  management: Management,
  caller: Caller,
  key: StoredKey,
  decide: Decide<Answer>,
  onWrite?: (write: Write) => void,
): Promise<Answer> {
  const unchanged = unchangedBy(decide, key);
  if (unchanged !== null) {
    await management.store.changes.lease();
    return unchanged();
  }
  return await queueChange(management, caller, key, decide, onWrite);
}

/** Decides on the state of the key in the transaction that also writes the change. */
export async function queueChange<Answer>(
  { store }: Management,
  caller: Caller,
  { id, teamId }: StoredKey,
  decide: Decide<Answer>,
  onWrite: (write: Write) => void = () => undefined,
): Promise<Answer> {
  return await store.changes.submit<Answer>({
    kind: 'existing',
    keyId: id,
    holder: teamId,
    decide: (key, revision) => {
      const decision = decide(authorizeKey(caller, key, 'manage_keys'), revision);
      if (decision.write !== undefined) onWrite(decision.write);
      return decision;
    },
  });
}

/** Returns a function that answers or throws as `decide` does, if that writes nothing; null if it would write. */
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

export function rejectRevoked(key: ApiKey): void {
  if (key.revokedAt !== null) throw new LatchkeyError('KEY_REVOKED', "The key is revoked and can't be changed.");
}

/**
 * Lets a decision write only if the key has one of the revisions. One that writes nothing is not an error even if the
 * revision differs: a caller can repeat a change whose response was lost (RFC 9110, section 13.1.1), and nothing is
 * overwritten.
 */
export function ifRevisionMatches<Answer>(
  management: Management,
  ifRevision: readonly string[] | null | undefined,
  decide: Decide<Answer>,
): Decide<Answer> {
  return (key, revision) => {
    const decision = decide(key, revision);
    if (decision.write !== undefined) checkRevision(management, key, ifRevision);
    return decision;
  };
}

/** Throws PRECONDITION_FAILED unless the key has one of these revisions. None given: it may have any. */
export function checkRevision(
  { revisions }: Management,
  key: StoredKey,
  ifRevision: readonly string[] | null | undefined,
): void {
  if (ifRevision == null || ifRevision.includes(revisions.encode(key.revision))) return;
  throw new LatchkeyError(
    'PRECONDITION_FAILED',
    'The key has another revision. Nothing was changed. Read the key again.',
  );
}

/** Returns a decision to write the changed key with an audit entry. */
export function write<Answer>(
  caller: Caller,
  action: AuditAction,
  before: ApiKey | null,
  after: ApiKey,
  answer: Answer,
): Decision<Answer> {
  return { answer, write: { key: after, audit: auditEntry(caller, action, before, after) } };
}
