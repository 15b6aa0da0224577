import { randomUUID } from 'node:crypto';
import { LatchkeyError } from '../../domain/errors.ts';
import type { Fence } from '../../domain/fence/fence.ts';
import { limits } from '../../domain/limits.ts';
import { parseExpiry } from '../../domain/moment.ts';
import { parseFields, parseOptional } from '../../domain/parse-fields.ts';
import { parseLine } from '../../domain/text.ts';
import { type Parsed, rejected } from '../../lib/parsed.ts';
import { type Change, Decision } from '../../store/changes/change.ts';
import { fenceCount, insertFence } from '../../store/rows/fences.ts';
import type { KeySelection } from '../../store/rows/key-selection.ts';
import { revocationsOf } from '../access/credentials.ts';
import { authorizeTeam, type Caller, type Management } from '../management.ts';
import { type KeyFilter, parseKeyFilter } from '../read/key-filter.ts';
import { fenceEntry } from './fence-entry.ts';

type Conditions = Pick<KeyFilter, 'env' | 'tags' | 'externalId' | 'responsible' | 'createdBefore'>;

export interface FreezeKeysInput extends Conditions {
  readonly teamId: string;
  readonly reason: string;
  readonly until?: Date | null | undefined;
  readonly dryRun?: boolean | undefined;
}

export interface FrozenKeys {
  /** Null in a dry run. */
  readonly fence: Fence | null;
  /** The state from which on the keys are frozen, as callers see it; null in a dry run. */
  readonly revision: string | null;
  /**
   * How many unrevoked keys meet the conditions: at most as many as one operation reads. Null if the store did not answer
   * after the keys were frozen.
   */
  readonly keys: number | null;
  /** How often they were verified in this hour and the one before; null with `keys`. */
  readonly calls: number | null;
}

const minuteMs = 60_000;
const hourMs = 3_600_000;

/**
 * Freezes the keys of a team that meet the conditions, also those that are created later: when this returns, no verifier
 * accepts one, and no change made with a management key that the fence covers is committed anymore. Nothing about the keys
 * is changed. The change budget does not apply: freezing must always work, and `limits.fences` bounds it. Needs
 * `manage_keys`, and `view_team` because the counts disclose which keys exist.
 * Throws FORBIDDEN, BAD_USER_INPUT (reason, the conditions, until), FENCE_LIMIT_REACHED, OLDER_INSTANCES, UNAVAILABLE.
 */
export async function freezeKeys(management: Management, caller: Caller, input: FreezeKeysInput): Promise<FrozenKeys> {
  const { store, revisions } = management;
  const { teamId, dryRun } = input;
  authorizeTeam(caller, teamId, 'manage_keys');
  authorizeTeam(caller, teamId, 'view_team');
  const { fence, selection } = parse(caller, input);
  if (dryRun === true) return { fence: null, revision: null, ...(await concerned(management, selection)) };
  if (!(await store.fences.isConfirmed())) throw olderInstances('fences');
  const change: Change<bigint, number> = {
    queueKey: revocationsOf(teamId),
    caller,
    load: fenceCount(teamId, caller.now),
    decide: (count, revision) => {
      if (count >= limits.fences) throw tooMany();
      const entries = [fenceEntry(caller, 'KEYS_FROZEN', fence)];
      return new Decision(revision, { entries, rows: [insertFence(fence)], concernsVerdicts: true });
    },
  };
  const revision = await store.changes.submit(change);
  // Counted after the keys are frozen, which nothing may delay. An error would hide the fence that is up.
  const counted = await concerned(management, selection).catch(unknownIfUnavailable);
  return { fence, revision: revisions.encode(revision), ...counted };
}

function unknownIfUnavailable(error: unknown): Pick<FrozenKeys, 'keys' | 'calls'> {
  if (error instanceof LatchkeyError && error.code === 'UNAVAILABLE') return { keys: null, calls: null };
  throw error;
}

function parse({ session, now }: Caller, { teamId, reason, until, dryRun: _, ...conditions }: FreezeKeysInput) {
  const parsed = parseFields({
    reason: parseLine(reason, limits.reasonCharacters),
    until: parseOptional(until, (moment) => parseEnd(moment, now)),
  });
  const filter = parseKeyFilter(conditions, null);
  const { env = null, tags, externalId, responsible, createdBefore, states } = parseFields({ filter }).filter;
  const scope = {
    env,
    tags: tags ?? [],
    externalId: externalId ?? null,
    responsible: responsible ?? null,
    createdBefore: createdBefore ?? null,
  };
  const fence: Fence = {
    ...{ id: randomUUID(), teamId, ...scope },
    ...{ reason: parsed.reason, until: parsed.until ?? null, createdAt: now, createdBy: session.subject },
  };
  const selection: KeySelection = { ...conditions, ...scope, tags: tags ?? null, teamId, now, states };
  return { fence, selection };
}

/** Each end empties the caches of all edges, so a team must not have many of them. */
function parseEnd(until: Date, now: Date): Parsed<Date> {
  const parsed = parseExpiry(until, now);
  const isShort = parsed.ok && until.getTime() < now.getTime() + limits.fenceMinutes * minuteMs;
  return isShort ? rejected(`must be at least ${limits.fenceMinutes} minutes ahead`) : parsed;
}

async function concerned({ store }: Management, selection: KeySelection): Promise<Pick<FrozenKeys, 'keys' | 'calls'>> {
  const { keys } = await store.keys.select(selection);
  const from = new Date(Math.floor(selection.now.getTime() / hourMs) * hourMs - hourMs);
  const ids = keys.map(({ id }) => id);
  return { keys: keys.length, calls: await store.usage.callsSince(ids, from) };
}

/** The error for what an instance of an older version would accept, although it is frozen. */
export function olderInstances(what: string): LatchkeyError {
  const message = `Instances before 0.3 know no ${what}. When none runs anymore, the operator confirms that with: latchkey fences allow.`;
  return new LatchkeyError('OLDER_INSTANCES', message);
}

function tooMany(): LatchkeyError {
  const message = `The team has ${limits.fences} fences, which is the limit. Lift one first, or freeze more keys with one.`;
  return new LatchkeyError('FENCE_LIMIT_REACHED', message);
}
