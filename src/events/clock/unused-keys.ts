/**
 * Writes the events about keys that have not been used for some days.
 *
 * No index has the last use, because it changes all the time. Instead, a walk reads all keys in the order of their ids once
 * a day, a few pages in each check. For a million keys, it takes one and a half hours. An event is due for a key that has
 * been unused for the configured time since the last walk. The position of the walk is saved with the events. So each
 * event is written once, and another instance, or the next start, continues the walk.
 */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { dayMs, hasPassed } from '../../domain/moment.ts';
import { Decision } from '../../store/changes/change.ts';
import { type ProgressState, type ProgressStates, progressIn, saveProgress } from '../../store/rows/event-progress.ts';
import { type KeyUse, usesIn } from '../../store/rows/key-moments.ts';
import type { Store } from '../../store/store.ts';
import { systemEntry } from '../system-entry.ts';
import { timeProgressPrefix } from './moment-kinds.ts';

export interface UnusedKeysOptions {
  readonly store: Pick<Store, 'changes' | 'eventProgress' | 'keyMoments'>;
  /** After how many days without use the event is due. */
  readonly days: number;
  /** Called between two pages, so that other calls keep their share of the time. */
  readonly pause: (startedAt: number) => Promise<void>;
  readonly signal: AbortSignal;
}

interface Progress {
  /** All events that were due by this time are written. */
  readonly until: string;
  /** The walk that is under way: it writes the events that are due by `until`, and has read the keys up to `keyId`. */
  readonly walk: { readonly until: string; readonly keyId: string } | null;
}

const id = `${timeProgressPrefix}unused`;
const pageSize = 200;
/** The pages of one call of `continueWalk`. */
export const maxPages = 25;
/** Sorts before the id of every key. */
const start = '';

export class UnusedKeys {
  readonly #options: UnusedKeysOptions;

  constructor(options: UnusedKeysOptions) {
    this.#options = options;
  }

  /** Reads the next pages if a walk is due or under way. Returns whether more pages follow. Throws UNAVAILABLE. */
  async continueWalk(now: Date): Promise<boolean> {
    const { store, pause, signal } = this.#options;
    const stored = progressOf(await store.eventProgress.list(id));
    if (stored === null) {
      await this.#save(null, { until: now.toISOString(), walk: null });
      return false;
    }
    let saved = stored;
    let progress = startOf(stored, now);
    for (let pages = 1; progress?.walk != null && !signal.aborted; pages += 1) {
      const startedAt = performance.now();
      const keys = await store.keyMoments.uses(progress.walk.keyId, pageSize);
      const isDue = this.#isDueIn(progress, now);
      const due = keys.filter(isDue).map((key) => key.id);
      const next = progressAfter(progress, progress.walk, keys);
      if (due.length > 0 || next.walk === null || pages === maxPages) {
        // If the position has changed, another instance continues the walk.
        if (!(await this.#save(saved, next, due, isDue, now))) return true;
        saved = next;
      }
      if (pages === maxPages) return next.walk !== null;
      progress = next;
      await pause(startedAt);
    }
    return false;
  }

  /** Saves the progress with the events of the keys that are still due. Returns false if the progress has changed. */
  async #save(
    before: Progress | null,
    after: Progress,
    ids: readonly string[] = [],
    isDue: (key: KeyUse) => boolean = () => false,
    now = new Date(after.until),
  ): Promise<boolean> {
    return await this.#options.store.changes.submit({
      queueKey: 'events about times',
      load: {
        // A key can have been used or revoked since it was read.
        read: async (client) => ({
          stored: progressOf(await progressIn(client, id)),
          keys: await usesIn(client, ids),
        }),
      },
      decide: ({ stored, keys }) => {
        if (!isDeepStrictEqual(stored, before)) return new Decision(false);
        const requestId = randomUUID();
        const entries = keys.filter(isDue).map((key) => systemEntry(this.#eventOf(key), requestId, now));
        return new Decision(true, { entries, rows: [saveProgress(id, { ...after })] });
      },
    });
  }

  #isDueIn({ until, walk }: Progress, now: Date): (key: KeyUse) => boolean {
    const boundMs = this.#options.days * dayMs;
    const [from, to] = [Date.parse(until), Date.parse(walk?.until ?? until)];
    return (key) => {
      const dueAt = (key.lastUsedAt ?? key.createdAt).getTime() + boundMs;
      return dueAt > from && dueAt <= to && !key.tripwire && isUsable(key, now);
    };
  }

  #eventOf({ id: keyId, teamId, lastUsedAt }: KeyUse) {
    const details = { lastUsedAt: lastUsedAt?.toISOString() ?? null, days: this.#options.days };
    return { action: 'KEY_UNUSED', keyId, teamId, details } as const;
  }
}

function isUsable({ revokedAt, disabledAt, expiresAt }: KeyUse, now: Date): boolean {
  return revokedAt === null && disabledAt === null && !hasPassed(expiresAt, now);
}

/** Returns the progress of the walk that is under way or due; null if the last one began less than a day ago. */
function startOf(stored: Progress, now: Date): Progress | null {
  if (stored.walk !== null) return stored;
  const isDue = now.getTime() - Date.parse(stored.until) >= dayMs;
  return isDue ? { ...stored, walk: { until: now.toISOString(), keyId: start } } : null;
}

function progressAfter(progress: Progress, walk: NonNullable<Progress['walk']>, keys: readonly KeyUse[]): Progress {
  const last = keys[pageSize - 1];
  return last === undefined
    ? { until: walk.until, walk: null }
    : { ...progress, walk: { until: walk.until, keyId: last.id } };
}

function progressOf(states: ProgressStates): Progress | null {
  const state: ProgressState | undefined = states.get(id);
  // Only `#save` writes it.
  const progress = state as unknown as Progress | undefined;
  if (progress === undefined) return null;
  const { until, walk } = progress;
  return { until, walk: walk === null ? null : { until: walk.until, keyId: walk.keyId } };
}
