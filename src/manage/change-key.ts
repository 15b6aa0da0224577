import type { ApiKey, StoredKey } from '../domain/api-key.ts';
import type { AuditAction } from '../domain/audit-entry.ts';
import { LatchkeyError } from '../domain/errors.ts';
import type { Decision } from '../store/change.ts';
import { auditEntry, authorizeKey, type Caller } from './caller.ts';
import type { Management } from './management.ts';

type Decide<Answer> = (key: StoredKey, revision: bigint) => Decision<Answer>;

/**
 * What all changes of an existing key have in common: `manage_keys` on its team, then the decision on its present
 * state, in the transaction that also writes the change and its audit entry.
 */
export async function changeKey<Answer>(
  management: Management,
  caller: Caller,
  keyId: string,
  decide: Decide<Answer>,
): Promise<Answer> {
  const { store } = management;
  // Refused before it takes a place among the writers. A key never changes its team, so this can't become wrong.
  authorizeKey(caller, await store.keys.find(keyId), 'manage_keys');
  return await submit(management, caller, keyId, decide);
}

/**
 * The same within the change budget of the key's team: for every change that a caller could repeat without end.
 * Throws RATE_LIMITED when the budget is used up.
 */
export async function changeKeyWithinBudget<Answer>(
  management: Management,
  caller: Caller,
  keyId: string,
  decide: Decide<Answer>,
): Promise<Answer> {
  const { store, budget } = management;
  const { teamId } = authorizeKey(caller, await store.keys.find(keyId), 'manage_keys');
  await budget.check(teamId);
  return await submit(management, caller, keyId, (key, revision) => {
    const decision = decide(key, revision);
    if (decision.write !== undefined) budget.count(decision.write);
    return decision;
  });
}

async function submit<Answer>({ store }: Management, caller: Caller, keyId: string, decide: Decide<Answer>) {
  return await store.changes.submit<Answer>({
    kind: 'existing',
    keyId,
    decide: (key, revision) => decide(authorizeKey(caller, key, 'manage_keys'), revision),
  });
}

export function rejectRevoked(key: ApiKey): void {
  if (key.revokedAt !== null)
    throw new LatchkeyError('KEY_REVOKED', "The key is revoked; it can't be changed any more.");
}

/** A decision to write the key as it is after the change, with its audit entry. */
export function write<Answer>(
  caller: Caller,
  action: AuditAction,
  before: ApiKey | null,
  after: ApiKey,
  answer: Answer,
): Decision<Answer> {
  return { answer, write: { key: after, audit: auditEntry(caller, action, before, after) } };
}
