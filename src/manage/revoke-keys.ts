import { createHash } from 'node:crypto';
import { LatchkeyError } from '../domain/errors.ts';
import type { KeySelection } from '../store/key-selection.ts';
import type { SelectedKey } from '../store/keys.ts';
import { authorizeKey, authorizeTeam, type Caller } from './caller.ts';
import { Fields } from './fields.ts';
import { type KeyFilter, parseKeyFilter } from './key-filter.ts';
import type { Management } from './management.ts';
import { revoked } from './revoke-key.ts';

export interface RevokeKeysInput {
  readonly teamId: string;
  readonly filter: KeyFilter;
  readonly dryRun: boolean;
  /** What the dry run answered. */
  readonly selection?: string | null | undefined;
}

export interface RevokedKeys {
  readonly dryRun: boolean;
  /** How many were revoked; in a dry run, how many would be. */
  readonly count: number;
  /** How many were left as they are, since they changed after they had been selected. */
  readonly skipped: number;
  /** Stands for exactly these keys. */
  readonly selection: string;
}

/** As many as the change queue writes at once; the changes of others come in between. */
const batchSize = 100;

/**
 * Revokes the keys that a filter selects, if they are those that a dry run has told of. Needs `view_team` too: by a
 * filter, it can be asked what there is.
 * Throws FORBIDDEN, BAD_USER_INPUT (selection, filter), SELECTION_CHANGED, UNAVAILABLE; then some may be revoked.
 */
export async function revokeKeys(management: Management, caller: Caller, input: RevokeKeysInput): Promise<RevokedKeys> {
  const { teamId, dryRun } = input;
  authorizeTeam(caller, teamId, 'manage_keys');
  authorizeTeam(caller, teamId, 'view_team');
  const keys = await management.store.keys.select(parse(input, caller.now));
  const selection = digest(teamId, keys);
  if (dryRun) return { dryRun, count: keys.length, skipped: 0, selection };
  if (input.selection !== selection) {
    throw new LatchkeyError(
      'SELECTION_CHANGED',
      `The filter selects ${keys.length} keys now, and not just those of the dry run. Nothing was revoked; look again.`,
    );
  }
  let count = 0;
  for (let i = 0; i < keys.length; i += batchSize) {
    const outcomes = await Promise.all(keys.slice(i, i + batchSize).map((key) => revoke(management, caller, key)));
    count += outcomes.filter((wasRevoked) => wasRevoked).length;
  }
  return { dryRun, count, skipped: keys.length - count, selection };
}

function parse({ teamId, filter, dryRun, selection }: RevokeKeysInput, now: Date): KeySelection {
  const fields = new Fields();
  const parsed = { teamId, now, ...parseKeyFilter(fields, filter) };
  if (parsed.states.includes('REVOKED')) fields.reject('filter.state', 'must not have REVOKED');
  if (!dryRun && selection == null) fields.reject('selection', 'is required: what a dry run answered');
  return fields.done(parsed);
}

/** Of the keys themselves and not of their number: one may have come as another went. */
function digest(teamId: string, keys: readonly SelectedKey[]): string {
  const ids = keys.map(({ id }) => id);
  return createHash('sha256')
    .update(JSON.stringify([teamId, ...ids]))
    .digest('base64url');
}

/** Whether it did. Somebody may have renewed the key meanwhile, or changed whatever else it was selected for. */
async function revoke({ store }: Management, caller: Caller, { id, revision: seen }: SelectedKey): Promise<boolean> {
  return await store.changes.submit({
    kind: 'existing',
    keyId: id,
    decide: (found, revision) => {
      const key = authorizeKey(caller, found, 'manage_keys');
      return key.revision === seen ? { ...revoked(caller, key, revision), answer: true } : { answer: false };
    },
  });
}
