/**
 * Writes the events about moments of keys: before and after the expiry, and before the end of an overlap.
 *
 * A progress per kind says up to which instant the events are written. The events of the next keys and the progress are
 * one change, decided on the progress that is stored. So each event is written once, whichever instance writes it and
 * whenever one is killed. Without due keys, nothing is written.
 */
import { randomUUID } from 'node:crypto';
import type { Decision, RowWrite } from '../../store/changes/change.ts';
import { type ProgressState, type ProgressStates, progressIn, saveProgress } from '../../store/rows/event-progress.ts';
import { type KeyMoment, type MomentRange, momentsIn } from '../../store/rows/key-moments.ts';
import type { Store } from '../../store/store.ts';
import { systemEntry } from '../system-entry.ts';
import { expiredId, type MomentKind, momentKinds, timeProgressPrefix } from './moment-kinds.ts';

export interface MomentEventsOptions {
  readonly store: Pick<Store, 'changes' | 'eventProgress' | 'keyMoments'>;
  readonly noticeDays: readonly number[];
  /** Reports that the progress is in the future, because the clock was set forward and back. */
  readonly report?: (error: unknown, what: string) => void;
  /** Called between two transactions, so that changes keep their share of the time. */
  readonly pause: (startedAt: number) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Up to when a kind is written: all events that were due by then; at the instant itself, those of keys up to an id. */
interface Position {
  readonly at: Date;
  readonly keyId: string | null;
}

interface Kept {
  readonly kind: MomentKind;
  /** Its progress in the store. */
  readonly stored: Position;
}

interface Batch extends Kept {
  /** At the progress, or after keys about which nothing is written. */
  readonly from: Position;
  readonly until: Date;
  readonly now: Date;
}

export const batchSize = 200;
const queueKey = 'events about times';

/**
 * An event is due this long after its instant. A change is decided by the clock of its instance and committed up to 15
 * seconds later, and the clocks of instances differ: no change may add a moment that is passed already.
 */
export const settleMs = 20_000;

/** How old a progress becomes without a due event. So much is read again in each check. */
const saveIntervalMs = 3_600_000;

/** How far a kind is behind `expired` if it was not configured: more than one that was not saved yet can be. */
const resumedMs = 2 * saveIntervalMs;

/** A progress so far in the future, which no instance advances for this time, is not of a clock that is right. */
const maxAheadMs = 86_400_000;
export const stuckMs = 2 * saveIntervalMs;

export class MomentEvents {
  readonly #options: MomentEventsOptions;
  readonly #kinds: readonly MomentKind[];
  /** The progress in the future as it was first seen, and when. */
  #ahead: { readonly progress: string; readonly since: Date } | null = null;

  constructor(options: MomentEventsOptions) {
    this.#options = options;
    this.#kinds = momentKinds(options.noticeDays);
  }

  /** Writes the events that are due. Throws UNAVAILABLE, possibly after writing some of them. */
  async writeDue(now: Date): Promise<void> {
    const until = new Date(now.getTime() - settleMs);
    const states = await this.#options.store.eventProgress.list(timeProgressPrefix);
    if (this.#kinds.some((kind) => positionOf(kind, states) === null)) await this.#begin(until);
    if (await this.#isAhead(states, until)) return;
    const unsaved: Kept[] = [];
    const saveAll = async () => {
      if (unsaved.length > 0) await this.#save(unsaved.splice(0), until);
    };
    for (const kind of this.#kinds) {
      // Otherwise, if this ends after `expired` was written, the other kinds would look as if they began later.
      if (kind.id === expiredId) await saveAll();
      const stored = positionOf(kind, states);
      if (stored === null || reaches(stored, until)) continue;
      const kept = { kind, stored: await this.#writeKind(kind, stored, until, now) };
      if (this.#options.signal.aborted) return;
      if (until.getTime() - kept.stored.at.getTime() > saveIntervalMs) unsaved.push(kept);
    }
    await saveAll();
  }

  /**
   * Returns whether the progress is far in the future: the clock of an instance was set forward and back. If it stands
   * still, all kinds begin again at the time at which this was first seen. Otherwise nothing would be written until then.
   */
  async #isAhead(states: ProgressStates, until: Date): Promise<boolean> {
    if (!isFarAhead(states, until)) {
      this.#ahead = null;
      return false;
    }
    const progress = JSON.stringify(states.get(expiredId));
    if (this.#ahead?.progress !== progress) {
      this.#ahead = { progress, since: until };
      const error = new Error('the events about times are written up to a time that is more than a day in the future');
      this.#options.report?.(error, 'the clock was set back; events about times begin again in two hours');
    }
    const { since } = this.#ahead;
    if (until.getTime() - since.getTime() < stuckMs) return true;
    await this.#change((states) => (isFarAhead(states, until) ? this.#kinds.map((kind) => saved(kind, since)) : []));
    this.#ahead = null;
    return true;
  }

  /** Starts new kinds at the current time: nothing is written about what was due before. */
  async #begin(at: Date): Promise<void> {
    await this.#change((states) =>
      this.#kinds.filter((kind) => positionOf(kind, states) === null).map((kind) => saved(kind, at)),
    );
  }

  /** Saves up to where there is nothing to write, for kinds that no other instance has advanced meanwhile. */
  async #save(unsaved: readonly Kept[], until: Date): Promise<void> {
    await this.#change((states) =>
      unsaved
        .filter(({ kind, stored }) => {
          const current = positionOf(kind, states);
          return current !== null && isSame(current, stored);
        })
        .map(({ kind }) => saved(kind, until)),
    );
  }

  /** Changes the progress of kinds, without events. */
  async #change(decide: (states: ProgressStates) => readonly RowWrite[]): Promise<void> {
    await this.#options.store.changes.submit({
      queueKey,
      load: { read: (client) => progressIn(client, timeProgressPrefix) },
      decide: (states): Decision<void> => {
        const rows = decide(states);
        return rows.length === 0 ? { answer: undefined } : { answer: undefined, write: { rows } };
      },
    });
  }

  /** Writes the due events of a kind. Returns the stored progress. */
  async #writeKind(kind: MomentKind, begin: Position, until: Date, now: Date): Promise<Position> {
    const { store, pause, signal } = this.#options;
    let stored = begin;
    let from = begin;
    while (!reaches(from, until) && !signal.aborted) {
      const keys = await store.keyMoments.list(rangeOf(kind, from, until));
      if (keys.some(({ counts }) => counts)) {
        const startedAt = performance.now();
        stored = await this.#writeBatch({ kind, stored, from, until, now });
        from = stored;
        await pause(startedAt);
      } else from = endOf(kind, keys, until);
    }
    return stored;
  }

  /** Writes the events of the next keys. Returns the new progress, which another instance may have written. */
  async #writeBatch({ kind, stored, from, until, now }: Batch): Promise<Position> {
    return await this.#options.store.changes.submit({
      queueKey,
      load: {
        read: async (client) => {
          const current = positionOf(kind, await progressIn(client, kind.id)) ?? stored;
          if (reaches(current, until)) return { current, keys: null };
          const range = rangeOf(kind, isSame(current, stored) ? from : current, until);
          return { current, keys: await momentsIn(client, range) };
        },
      },
      decide: ({ current, keys }) => {
        if (keys === null) return { answer: current };
        const requestId = randomUUID();
        const entries = keys
          .filter(({ counts }) => counts)
          .map(({ id, teamId, at }) => systemEntry({ ...kind.event(at), keyId: id, teamId }, requestId, now));
        const reached = endOf(kind, keys, until);
        return { answer: reached, write: { entries, rows: [saveProgress(kind.id, stateOf(reached))] } };
      },
    });
  }
}

/**
 * Returns null for a kind that begins now: it has no progress, or it was not configured for some time. Its progress then
 * is far behind that of `expired`, which is always configured. `expired` is written only after the others are saved.
 */
function positionOf(kind: MomentKind, states: ProgressStates): Position | null {
  const position = parsePosition(states.get(kind.id));
  const expired = parsePosition(states.get(expiredId));
  if (position === null || !kind.isOptional || expired === null) return position;
  return expired.at.getTime() - position.at.getTime() > resumedMs ? null : position;
}

/** By `expired`, which is always configured. */
function isFarAhead(states: ProgressStates, until: Date): boolean {
  const expired = parsePosition(states.get(expiredId));
  return expired !== null && expired.at.getTime() - until.getTime() > maxAheadMs;
}

function parsePosition(state: ProgressState | undefined): Position | null {
  // Only `stateOf` writes it.
  const { at, keyId } = (state ?? {}) as { readonly at?: string; readonly keyId?: string | null };
  return at === undefined ? null : { at: new Date(at), keyId: keyId ?? null };
}

function stateOf({ at, keyId }: Position): ProgressState {
  return { at: at.toISOString(), keyId };
}

function saved({ id }: MomentKind, at: Date): RowWrite {
  return saveProgress(id, stateOf({ at, keyId: null }));
}

/** Also true if the clock was set back, and the position is in the future. Nothing is repeated then. */
function reaches({ at, keyId }: Position, until: Date): boolean {
  return at > until || (at.getTime() === until.getTime() && keyId === null);
}

function isSame(a: Position, b: Position): boolean {
  return a.at.getTime() === b.at.getTime() && a.keyId === b.keyId;
}

function rangeOf({ name: moment, leadMs }: MomentKind, from: Position, until: Date): MomentRange {
  const later = (at: Date) => new Date(at.getTime() + leadMs);
  return { moment, after: { at: later(from.at), keyId: from.keyId }, until: later(until), limit: batchSize };
}

/** Returns up to where these keys reach. */
function endOf({ leadMs }: MomentKind, keys: readonly KeyMoment[], until: Date): Position {
  const last = keys[batchSize - 1];
  if (last === undefined) return { at: until, keyId: null };
  return { at: new Date(last.at.getTime() - leadMs), keyId: last.id };
}
