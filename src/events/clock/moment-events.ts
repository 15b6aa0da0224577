/**
 * Writes the events about moments of keys and management keys: before and at the expiry, and before the end of an overlap.
 *
 * Each kind of event has a position in the store: the time up to which its events are written. The events of the next keys
 * and the new position are one change, which is decided on the stored position. So each event is written exactly once,
 * whichever instance writes it and whenever an instance is killed. While no event is due, positions are saved at most once
 * an hour.
 */
import { randomUUID } from 'node:crypto';
import { isFarAhead, WrongClock } from '../../lib/wrong-clock.ts';
import { Decision, type RowWrite } from '../../store/changes/change.ts';
import { type ProgressState, type ProgressStates, progressIn, saveProgress } from '../../store/rows/event-progress.ts';
import { type KeyMoment, type MomentRange, momentsIn } from '../../store/rows/key-moments.ts';
import type { Store } from '../../store/store.ts';
import { systemEntry } from '../system-entry.ts';
import { expiredId, type MomentKind, momentKinds, timeProgressPrefix } from './moment-kinds.ts';

export interface MomentEventsOptions {
  readonly store: Pick<Store, 'changes' | 'eventProgress' | 'keyMoments'>;
  readonly noticeDays: readonly number[];
  /** Reports positions in the future: the clock was set forward and back. */
  readonly report?: (error: unknown, what: string) => void;
  /** Called between two transactions, so that changes keep their share of the time. */
  readonly pause: (startedAt: number) => Promise<void>;
  readonly signal: AbortSignal;
}

/** All events of a kind that were due before `at` are written. */
interface Position {
  readonly at: Date;
  /** Events that were due at `at` are written for keys up to this one; for all keys if null. */
  readonly keyId: string | null;
}

interface KindPosition {
  readonly kind: MomentKind;
  readonly stored: Position;
}

interface MomentBatch extends KindPosition {
  /** Where reading continues: at the stored position, or after keys about which nothing is written. */
  readonly from: Position;
  readonly until: Date;
  readonly now: Date;
}

export const batchSize = 200;
const queueKey = 'events about times';

/**
 * An event is due this long after its moment, when no change can add an earlier moment any more. A change is decided by
 * the clock of its instance, which may be slow, and committed up to 15 seconds later.
 */
export const settleMs = 20_000;

/** A position that is older is saved, even if no event was due since. Each check reads again from the stored position. */
const saveIntervalMs = 3_600_000;

/**
 * If the position of a kind is this far behind that of `expired`, the kind was not configured for some time. Positions of
 * configured kinds differ by at most `saveIntervalMs`.
 */
const resumedMs = 2 * saveIntervalMs;

export class MomentEvents {
  readonly #options: MomentEventsOptions;
  readonly #kinds: readonly MomentKind[];
  readonly #wrongClock: WrongClock;

  constructor(options: MomentEventsOptions) {
    this.#options = options;
    this.#kinds = momentKinds(options.noticeDays);
    this.#wrongClock = new WrongClock('events about times are written', options.report);
  }

  /** Writes the events that are due. Throws UNAVAILABLE, possibly after writing some of them. */
  async writeDue(now: Date): Promise<void> {
    const until = new Date(now.getTime() - settleMs);
    const states = await this.#options.store.eventProgress.list(timeProgressPrefix);
    if (this.#kinds.some((kind) => positionOf(kind, states) === null)) await this.#begin(until);
    if (await this.#isAhead(states, until)) return;
    const unsaved: KindPosition[] = [];
    const saveAll = async () => {
      if (unsaved.length > 0) await this.#save(unsaved.splice(0), until);
    };
    for (const kind of this.#kinds) {
      // Before the position of `expired` changes. If this ended in between, the others would look as if not configured.
      if (kind.id === expiredId) await saveAll();
      const stored = positionOf(kind, states);
      if (stored === null || reaches(stored, until)) continue;
      const written = await this.#writeKind(kind, stored, until, now);
      if (this.#options.signal.aborted) return;
      if (until.getTime() - written.at.getTime() > saveIntervalMs) unsaved.push({ kind, stored: written });
    }
    await saveAll();
  }

  /** Returns whether the stored position is far in the future. Begins again after some time. */
  async #isAhead(states: ProgressStates, until: Date): Promise<boolean> {
    const since = this.#wrongClock.look(reachedIn(states), until);
    if (since === null || since === 'ahead') return since !== null;
    await this.#change((states) =>
      isFarAhead(reachedIn(states), until) ? this.#kinds.map((kind) => saved(kind, since)) : [],
    );
    return true;
  }

  /** Starts kinds without a position at the current time. Nothing is written about what was due before. */
  async #begin(at: Date): Promise<void> {
    await this.#change((states) =>
      this.#kinds.filter((kind) => positionOf(kind, states) === null).map((kind) => saved(kind, at)),
    );
  }

  /** Saves that nothing else was due, for kinds whose position has not changed since it was read. */
  async #save(unsaved: readonly KindPosition[], until: Date): Promise<void> {
    await this.#change((states) =>
      unsaved
        .filter(({ kind, stored }) => {
          const current = positionOf(kind, states);
          return current !== null && isSame(current, stored);
        })
        .map(({ kind }) => saved(kind, until)),
    );
  }

  /** Changes positions without writing events. */
  async #change(decide: (states: ProgressStates) => readonly RowWrite[]): Promise<void> {
    await this.#options.store.changes.submit({
      queueKey,
      load: { read: (client) => progressIn(client, timeProgressPrefix) },
      decide: (states) => {
        const rows = decide(states);
        return new Decision(undefined, rows.length === 0 ? undefined : { rows });
      },
    });
  }

  /** Writes the due events of a kind. Returns the stored position. */
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

  /** Writes the events of the next keys. Returns the stored position, which may be that of another instance. */
  async #writeBatch({ kind, stored, from, until, now }: MomentBatch): Promise<Position> {
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
        if (keys === null) return new Decision(current);
        const requestId = randomUUID();
        const entries = keys
          .filter(({ counts }) => counts)
          .map((key) => systemEntry({ ...kind.event(key), keyId: key.id, teamId: key.teamId }, requestId, now));
        const reached = endOf(kind, keys, until);
        return new Decision(reached, { entries, rows: [saveProgress(kind.id, stateOf(reached))] });
      },
    });
  }
}

/**
 * Returns the position of a kind; null for a kind that begins now. It has no position, or it was not configured for some
 * time: its position is then far behind that of `expired`, which is always configured and saved after the others.
 */
function positionOf(kind: MomentKind, states: ProgressStates): Position | null {
  const position = parsePosition(states.get(kind.id));
  const expired = parsePosition(states.get(expiredId));
  if (position === null || !kind.isOptional || expired === null) return position;
  return expired.at.getTime() - position.at.getTime() > resumedMs ? null : position;
}

/** Returns the position of `expired`, which is always configured. */
function reachedIn(states: ProgressStates): Date | null {
  return parsePosition(states.get(expiredId))?.at ?? null;
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

/** Returns whether all events that are due by a time are written. If the clock was set back, none is written again. */
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

/** Returns the position after the events of these keys: at `until` if no more keys follow. */
function endOf({ leadMs }: MomentKind, keys: readonly KeyMoment[], until: Date): Position {
  const last = keys[batchSize - 1];
  if (last === undefined) return { at: until, keyId: null };
  return { at: new Date(last.at.getTime() - leadMs), keyId: last.id };
}
