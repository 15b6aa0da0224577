import { createHash } from 'node:crypto';
import { LatchkeyError } from '../../domain/errors.ts';
import type { KeyState } from '../../domain/key/api-key.ts';
import { parseFields, parseOptional } from '../../domain/parse-fields.ts';
import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';
import { Decision } from '../../store/changes/change.ts';
import { keyWithId } from '../../store/changes/key-state.ts';
import type { SelectedKey } from '../../store/rows/keys.ts';
import { authorizeKey, authorizeTeam, type Caller, type Management } from '../management.ts';
import { type KeyFilter, parseKeyFilter, rulesOfFilter } from '../read/key-filter.ts';
import { cursorOf, parsePosition } from '../read/read-keys.ts';
import { inBatches } from './in-batches.ts';
import { revoked } from './key-state.ts';

export interface RevokeKeysInput {
  readonly teamId: string;
  readonly filter: KeyFilter;
  readonly dryRun: boolean;
  /** The `selection` that the dry run returned. */
  readonly selection?: string | null | undefined;
  /** The `endCursor` of an earlier dry run. */
  readonly after?: string | null | undefined;
}

export interface RevokedKeys {
  readonly dryRun: boolean;
  /** The number of keys that were revoked. In a dry run, the number that would be revoked. */
  readonly count: number;
  /** The number of keys that were not revoked because they changed after they had been selected. */
  readonly skipped: number;
  /** A digest of the selected keys. */
  readonly selection: string;
  /** The cursor to continue with if the team has more keys than one operation reads; null after the last key. */
  readonly endCursor: string | null;
}

/**
 * Revokes the keys that a filter selects, if they are the same as in the dry run. Needs `manage_keys`, and `view_team`
 * because the counts disclose which keys exist.
 * Throws FORBIDDEN, BAD_USER_INPUT (selection, filter), SELECTION_CHANGED; UNAVAILABLE, even after revoking some keys.
 */
export async function revokeKeys(management: Management, caller: Caller, input: RevokeKeysInput): Promise<RevokedKeys> {
  const { teamId, dryRun } = input;
  authorizeTeam(caller, teamId, 'manage_keys');
  authorizeTeam(caller, teamId, 'view_team');
  const rules = await rulesOfFilter(management, teamId, input.filter);
  const { after, ...filter } = parse(input, rules, caller.now);
  const { keys, end } = await management.store.keys.select(filter, after);
  const selection = digest(teamId, keys);
  const endCursor = end === null ? null : cursorOf('CREATED_AT', end);
  if (dryRun) return { dryRun, count: keys.length, skipped: 0, selection, endCursor };
  if (input.selection !== selection) {
    throw new LatchkeyError(
      'SELECTION_CHANGED',
      `The filter now selects ${keys.length} keys, which are not the same as in the dry run. Nothing was revoked. Repeat the dry run.`,
    );
  }
  const revokeAll = (batch: readonly SelectedKey[]) =>
    Promise.all(batch.map((key) => revoke(management, caller, teamId, key)));
  const count = (await inBatches(keys, revokeAll)).filter(Boolean).length;
  return { dryRun, count, skipped: keys.length - count, selection, endCursor };
}

function parse(
  { teamId, filter, dryRun, selection, after }: RevokeKeysInput,
  rules: Awaited<ReturnType<typeof rulesOfFilter>>,
  now: Date,
) {
  const parsed = parseFields({
    filter: parseKeyFilter(filter, rules, rejectRevoked),
    after: parseOptional(after, (cursor) => parsePosition('CREATED_AT', cursor)),
    selection:
      dryRun || selection != null
        ? accepted(selection)
        : rejected('is required: send the selection that the dry run returned'),
  });
  return { teamId, now, ...parsed.filter, after: parsed.after ?? undefined };
}

function rejectRevoked(states: readonly KeyState[]): Parsed<readonly KeyState[]> {
  return states.includes('REVOKED') ? rejected('must not have REVOKED') : accepted(states);
}

/** Returns a digest of the keys' ids. The count is not enough: one key may have been added and another removed. */
function digest(teamId: string, keys: readonly SelectedKey[]): string {
  const text = JSON.stringify([teamId, ...keys.map(({ id }) => id)]);
  return createHash('sha256').update(text).digest('base64url');
}

/** Revokes a key. Returns false, and revokes nothing, if the key was changed after it had been selected. */
async function revoke(
  { store }: Management,
  caller: Caller,
  teamId: string,
  { id, revision: seen }: SelectedKey,
): Promise<boolean> {
  return await store.changes.submit({
    queueKey: teamId,
    caller,
    load: keyWithId(id),
    decide: (found, revision) => {
      const key = authorizeKey(caller, found, 'manage_keys');
      return key.revision === seen ? new Decision(true, revoked(caller)(key, revision).write) : new Decision(false);
    },
  });
}
