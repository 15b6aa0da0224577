import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { LatchkeyError } from '../../domain/errors.ts';
import { type ApiKey, initialState, type StoredKey } from '../../domain/key/api-key.ts';
import { parseNewSettings } from '../../domain/key/settings.ts';
import { parseFields, withoutUnchanged } from '../../domain/parse-fields.ts';
import { mintSecret } from '../../domain/secret/secret.ts';
import { digestSecret } from '../../domain/secret/secret-digest.ts';
import { type Change, Decision, type NewEntry, type Write } from '../../store/changes/change.ts';
import { type BeforePut, putOf } from '../../store/changes/key-state.ts';
import { auditEntry, authorizeTeam, type Caller, type Management, responsibleFor } from '../management.ts';
import { policed } from '../policy/policed.ts';
import { rejectAboveLimit } from './create-key.ts';
import { ambiguous } from './named-key.ts';
import { type ParsedPut, type PutKeyInput, parsePut } from './parse-put.ts';
import { noOverlapWhileDisabled, replacedSecret, rotatedTo } from './rotate-key.ts';

export interface PutCondition {
  /** Only a key with one of these revisions is changed, and none is created. */
  readonly ifRevision?: readonly string[] | null | undefined;
  /** True: only changes a key. False: only creates one. */
  readonly ifExists?: boolean | null | undefined;
}

export interface PutKey {
  readonly apiKey: StoredKey;
  readonly created: boolean;
  /** The full key, if it was created without a digest. It is not stored. */
  readonly secret: string | null;
}

/**
 * Creates the one key of a team and environment with an external id, or changes it, so that it has exactly these settings:
 * an absent or null one has its default. Changes nothing if it has them. Calls at the same time make one key. Needs
 * `manage_keys`.
 * Throws FORBIDDEN, BAD_USER_INPUT, EXTERNAL_ID_AMBIGUOUS, DIGEST_IN_USE, POLICY_VIOLATED, PRECONDITION_FAILED,
 * KEY_LIMIT_REACHED, RATE_LIMITED, UNAVAILABLE.
 */
export async function putKey(
  management: Management,
  caller: Caller,
  input: PutKeyInput,
  condition: PutCondition = {},
): Promise<PutKey> {
  const { store, budget } = management;
  const { teamId } = input;
  authorizeTeam(caller, teamId, 'manage_keys');
  const put = parsePut(management, input);
  const decide = decisionOf(management, caller, put, condition);
  const before = await store.keys.findByExternalName(put.input);
  const unchanged = before.length === 1 ? decideUnchanged(decide, before) : null;
  if (unchanged !== null) {
    caller.changed?.(await store.changes.waitForLease());
    return unchanged;
  }
  budget.check(teamId);
  const change: Change<PutKey, BeforePut> = {
    queueKey: teamId,
    caller,
    load: putOf(put.input, put.takenDigests),
    decide,
  };
  return await store.changes.submit(budget.counted(policed(management, caller, teamId, change)));
}

type DecidePut = (before: BeforePut, revision: bigint) => Decision<PutKey>;

function decisionOf(
  management: Management,
  caller: Caller,
  put: ParsedPut,
  { ifRevision, ifExists }: PutCondition,
): DecidePut {
  // Once, because a change can be decided twice.
  const made = newKey(management, caller, put);
  return ({ keys, unrevokedKeys, digestOwner }, revision) => {
    const [existing, ...others] = keys;
    if (existing === undefined) {
      if (ifRevision != null || ifExists === true) throw preconditionFailed('There is no key with this external id.');
      rejectAboveLimit(management, unrevokedKeys);
      rejectTaken(digestOwner);
      const { apiKey, secret } = made();
      const entries = [auditEntry(caller, 'KEY_CREATED', null, apiKey)];
      const answer = { apiKey: { ...apiKey, revision }, created: true, secret };
      return new Decision<PutKey>(answer, { key: apiKey, isNew: true, entries });
    }
    if (ifExists === false) throw preconditionFailed('There is a key with this external id. Nothing was changed.');
    if (others.length > 0) throw ambiguous(keys);
    const decision = changeOf(caller, put, existing, revision);
    if (decision.write === undefined) return decision;
    if (ifRevision != null && !ifRevision.includes(management.revisions.encode(existing.revision)))
      throw preconditionFailed('The key has another revision. Nothing was changed. Read the key again.');
    // After that, so that no call which changes nothing tells whether a digest is in use.
    if (decision.write.rotated !== undefined) rejectTaken(digestOwner);
    return decision;
  };
}

function newKey(management: Management, caller: Caller, { input, client }: ParsedPut) {
  const { keyTag, peppers, randomBytes } = management;
  const { teamId, env } = input;
  let made: { readonly apiKey: ApiKey; readonly secret: string | null } | undefined;
  return () => {
    if (made !== undefined) return made;
    const parsed = parseFields(parseNewSettings(input, caller.now));
    const { secret, prefix } = mintSecret(keyTag, env, randomBytes);
    const own = { prefix, digest: digestSecret(secret, peppers.current), pepperId: peppers.current.id };
    const apiKey: ApiKey = {
      ...initialState,
      ...parsed,
      responsible: responsibleFor(input, caller, parsed.responsible),
      ...(client ?? own),
      id: randomUUID(),
      teamId,
      env,
      createdAt: caller.now,
    };
    made = { apiKey, secret: client === null ? secret : null };
    return made;
  };
}

function changeOf(
  caller: Caller,
  { input, client, sameDigests, overlapMs }: ParsedPut,
  before: StoredKey,
  revision: bigint,
): Decision<PutKey> {
  const parsed = parseFields(withoutUnchanged(parseNewSettings(input, caller.now), input, before));
  // The default is who made the key, which no later call changes.
  const responsible = input.responsible === undefined ? before.responsible : (parsed.responsible ?? null);
  const updated: StoredKey = { ...before, ...parsed, responsible };
  const entries: NewEntry[] = [];
  if (!isDeepStrictEqual(updated, before)) entries.push(auditEntry(caller, 'KEY_UPDATED', before, updated));
  let write: Omit<Write, 'key' | 'entries'> = {};
  let after = updated;
  if (client !== null && !sameDigests.includes(before.digest)) {
    if (before.disabledAt !== null && overlapMs > 0) throw new LatchkeyError('KEY_DISABLED', noOverlapWhileDisabled);
    after = rotatedTo(client, updated, caller.now, overlapMs);
    write = { rotated: replacedSecret(before, caller.now) };
    entries.push(auditEntry(caller, 'KEY_ROTATED', updated, after));
  }
  if (entries.length === 0) return new Decision<PutKey>({ apiKey: before, created: false, secret: null });
  const apiKey = { ...after, revision: revision + BigInt(entries.length - 1) };
  return new Decision<PutKey>({ apiKey, created: false, secret: null }, { ...write, key: apiKey, entries });
}

/** Returns the answer if nothing would be written. An error is decided again, in a transaction. */
function decideUnchanged(decide: DecidePut, keys: readonly StoredKey[]): PutKey | null {
  try {
    const { answer, write } = decide({ keys, unrevokedKeys: 0, digestOwner: null }, 0n);
    return write === undefined ? answer : null;
  } catch {
    return null;
  }
}

function rejectTaken(owner: StoredKey | null): void {
  if (owner === null) return;
  const message = 'The digest is or was that of a key. Make a new secret: latchkey keys new-secret.';
  throw new LatchkeyError('DIGEST_IN_USE', message);
}

function preconditionFailed(message: string): LatchkeyError {
  return new LatchkeyError('PRECONDITION_FAILED', message);
}
