import type { IpAddress } from '../domain/source/ip-address.ts';

/** A match of a presented key, as it is cached. */
export interface CacheRow<Match> {
  readonly match: Match;
  /** What a change of the key does to the row. `replace`: the key has one such row, of its current secret. Null: not cached. */
  readonly onChange: 'replace' | 'drop' | null;
}

/** A key has changed: its rows are invalid. */
export interface CacheChange<Match> {
  readonly id: string;
  /** Replaces the row of the current secret, if both are of the same secret. */
  readonly replacement: Match | null;
}

/** The state at one time, and the changes since the given cursor. */
export interface Snapshot<Cursor, Match> {
  readonly cursor: Cursor;
  /** Whether all rows are invalid because the changes since the given cursor are not known. */
  readonly clear: boolean;
  readonly changes: readonly CacheChange<Match>[];
  /** The rows of the requested keys by cache key, in this state or a newer state. A key without a row is unknown. */
  readonly rows: ReadonlyMap<string, CacheRow<Match>>;
  /** How long, from the start of the read, changes that the snapshot lacks get no answer. 0 without a lease. */
  readonly leaseMs: number;
  /** The minimum time from the start of this read to the start of the next read. */
  readonly pauseMs: number;
}

/** A presented key that is not cached, and the address that one of its requests came from. */
export interface MissingKey {
  readonly secret: string;
  readonly source: IpAddress | undefined;
}

/** By cache key. */
export type MissingKeys = ReadonlyMap<string, MissingKey>;

export interface StateSource<Cursor, Match, Answer> {
  /** Reads a state at least as new as this call, and the missing keys. The cursor is null if the cache is empty. */
  readonly read: (cursor: Cursor | null, missing: MissingKeys) => Answer | Promise<Answer>;
  readonly snapshotOf: (answer: Answer, cursor: Cursor | null, missing: MissingKeys) => Snapshot<Cursor, Match>;
  /** Whether a read failed because the source is overloaded. The requests then wait for the next read. */
  readonly isBusy?: (error: unknown) => boolean;
}
