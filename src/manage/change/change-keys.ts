import { LatchkeyError } from '../../domain/errors.ts';
import type { StoredKey } from '../../domain/key/api-key.ts';
import { type KeySettings, type KeySettingsInput, parseChangedSettings } from '../../domain/key/settings.ts';
import { limits } from '../../domain/limits.ts';
import {
  type ParsedFields,
  parsedList,
  parsedObject,
  parseFields,
  type Result,
  withoutUnchanged,
} from '../../domain/parse-fields.ts';
import type { PolicyViolation } from '../../domain/policy/policy-violation.ts';
import { accepted, rejected } from '../../lib/parsed.ts';
import { Decision } from '../../store/changes/change.ts';
import { authorizeTeam, type Caller, type Management } from '../management.ts';
import { entriesWithin } from '../read/page.ts';
import { type ChangeKind, type Decide, ifRevisionMatches, queueChange, unchangedBy } from './change-key.ts';
import { inBatches } from './in-batches.ts';
import { disabled, enabled, parseReason, revoked } from './key-state.ts';
import { updated } from './update-key.ts';

export type KeysAction = 'UPDATE' | 'DISABLE' | 'ENABLE' | 'REVOKE';

export interface KeyToChangeInput {
  readonly id: string;
  readonly ifRevision?: readonly string[] | null | undefined;
  /** For UPDATE only. */
  readonly settings?: KeySettingsInput | null | undefined;
}

export interface ChangeKeysInput {
  readonly teamId: string;
  readonly action: KeysAction;
  readonly keys: readonly KeyToChangeInput[];
  /** For DISABLE and ENABLE only. */
  readonly reason?: string | null | undefined;
}

/** The outcomes of failed changes are error codes. */
const failures = ['KEY_NOT_FOUND', 'KEY_REVOKED', 'PRECONDITION_FAILED', 'UNAVAILABLE'] as const;

export interface KeyChangeResult {
  readonly outcome: 'CHANGED' | 'UNCHANGED' | 'NOT_ATTEMPTED' | 'POLICY_VIOLATED' | (typeof failures)[number];
  readonly apiKey: StoredKey | null;
  /** Empty unless the outcome is POLICY_VIOLATED. */
  readonly policyViolations: readonly PolicyViolation[];
}

export interface ChangedKeys {
  /** One result for each key, in the order of the input. */
  readonly results: readonly KeyChangeResult[];
}

interface KeyToChange {
  readonly id: string;
  readonly decide: Decide<KeyChangeResult>;
}

/**
 * Changes keys of a team, each like the use case for one key, and returns an outcome for each key. Needs `manage_keys`.
 * Throws FORBIDDEN, BAD_USER_INPUT (`keys`, `keys[i].settings.name`, reason), RATE_LIMITED, UNAVAILABLE.
 */
export async function changeKeys(management: Management, caller: Caller, input: ChangeKeysInput): Promise<ChangedKeys> {
  const { teamId, action } = input;
  authorizeTeam(caller, teamId, 'manage_keys');
  const strict = parsedObject(parse(input, caller.now));
  if (kindOf(management, action) !== 'restrict') management.budget.check(teamId);
  const { store } = management;
  const ids = input.keys.slice(0, limits.changedKeys).map(({ id }) => id);
  const sizes = await store.keys.textBytesOf(teamId, ids);
  const attemptedIds = ids.slice(0, entriesWithin(ids.map((id) => sizes.get(id) ?? 0)));
  const found = await store.keys.findInTeam(teamId, attemptedIds);
  const parsed = strict.ok ? strict.value : parseFields(parse(input, caller.now, found));
  const keys = decisionsOf(management, caller, action, parsed);
  const attempted = keys.slice(0, attemptedIds.length);
  const results = await inBatches(
    attempted,
    (batch) => Promise.all(batch.map(({ id, decide }) => changeOne(management, caller, action, found.get(id), decide))),
    // Stops after UNAVAILABLE, because the remaining keys would only wait and fail.
    (batch) => batch.some(({ outcome }) => outcome === 'UNAVAILABLE'),
  );
  if (results.some(({ outcome }) => outcome !== 'CHANGED')) caller.changed?.(await store.changes.waitForLease());
  const unavailable = attempted.slice(results.length).map(() => failed('UNAVAILABLE'));
  const notAttempted = keys.slice(attempted.length).map(() => failed('NOT_ATTEMPTED'));
  return { results: [...results, ...unavailable, ...notAttempted] };
}

async function changeOne(
  management: Management,
  caller: Caller,
  action: KeysAction,
  key: StoredKey | undefined,
  decide: Decide<KeyChangeResult>,
): Promise<KeyChangeResult> {
  if (key === undefined) return failed('KEY_NOT_FOUND');
  try {
    const unchanged = unchangedBy(decide, key);
    return unchanged === null
      ? await queueChange(management, caller, key, decide, kindOf(management, action), violated)
      : unchanged();
  } catch (error) {
    const failure = failures.find((code) => error instanceof LatchkeyError && error.code === code);
    if (failure === undefined) throw error;
    return failed(failure);
  }
}

function failed(outcome: KeyChangeResult['outcome']): KeyChangeResult {
  return { outcome, apiKey: null, policyViolations: [] };
}

function violated(policyViolations: readonly PolicyViolation[]): KeyChangeResult {
  return { ...failed('POLICY_VIOLATED'), policyViolations };
}

/** As for one key. */
function kindOf({ budget }: Management, action: KeysAction): ChangeKind {
  return action === 'UPDATE' || action === 'ENABLE' ? { budget } : 'restrict';
}

interface ParsedKey extends Pick<KeyToChangeInput, 'id' | 'ifRevision'> {
  readonly settings: Partial<KeySettings>;
}

interface ParsedInput {
  readonly reason: string | null;
  readonly keys: readonly ParsedKey[];
}

function decisionsOf(
  management: Management,
  caller: Caller,
  action: KeysAction,
  { reason, keys }: ParsedInput,
): readonly KeyToChange[] {
  const decisions: Readonly<Record<KeysAction, (settings: Partial<KeySettings>) => Decide<StoredKey>>> = {
    UPDATE: (settings) => updated(caller, () => settings),
    DISABLE: () => disabled(caller, reason),
    ENABLE: () => enabled(caller, reason),
    REVOKE: () => revoked(caller),
  };
  return keys.map(({ id, ifRevision, settings }) => {
    const decide = ifRevisionMatches(management, ifRevision, decisions[action](settings));
    return { id, decide: (key, revision) => resultOf(decide(key, revision)) };
  });
}

function resultOf({ answer, write }: Decision<StoredKey>): Decision<KeyChangeResult> {
  const outcome = write === undefined ? 'UNCHANGED' : 'CHANGED';
  return new Decision({ outcome, apiKey: answer, policyViolations: [] }, write);
}

type Keys = ReadonlyMap<string, StoredKey>;

/** Parses the input. Settings that a key of `current` has already are not validated again. */
function parse({ action, keys, reason }: ChangeKeysInput, now: Date, current: Keys = new Map()) {
  const mayHaveReason = action === 'DISABLE' || action === 'ENABLE' || reason == null;
  return {
    reason: mayHaveReason ? parseReason(reason) : rejected('must be absent unless the action is DISABLE or ENABLE'),
    keys: parseKeys(keys, action, now, current),
  };
}

function parseKeys(keys: readonly KeyToChangeInput[], action: KeysAction, now: Date, current: Keys) {
  const seen = new Set<string>();
  return parsedList(keys, limits.changedKeys, ({ id, ifRevision, settings }): ParsedFields<ParsedKey> => {
    const isRepeated = seen.has(id);
    seen.add(id);
    return parsedObject({
      id: isRepeated ? rejected('must not be given twice') : accepted(id),
      ifRevision: accepted(ifRevision),
      settings: parseSettings(settings, action, now, current.get(id)),
    });
  });
}

function parseSettings(
  settings: KeySettingsInput | null | undefined,
  action: KeysAction,
  now: Date,
  key: StoredKey | undefined,
): Result<Partial<KeySettings>> {
  if (action !== 'UPDATE') {
    return settings == null ? accepted({}) : rejected('must be absent unless the action is UPDATE');
  }
  if (settings == null) return rejected('is required for UPDATE');
  return parsedObject(withoutUnchanged(parseChangedSettings(settings, now), settings, key ?? {}));
}
