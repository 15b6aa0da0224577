/** A presented key that is cached, or is to be cached. */
export interface Row<Match> {
  readonly match: Match;
  /**
   * What invalidates the row when it changes: the id of the key, if the row is that of its current secret; otherwise the
   * ids of all matching keys, and the names under which further ones would match. Null if the row must not be cached.
   */
  readonly dependencies: string | readonly string[] | null;
}

export interface Change<Match> {
  /** All rows that depend on one of these are invalid. */
  readonly names: readonly string[];
  /** Takes the place of the row that depends only on the first name, if it is of the same secret. */
  readonly replacement: Match | null;
}

/** A state as it was at one time, compared with the state of a cursor. */
export interface Snapshot<Cursor, Match> {
  /** Names this state. */
  readonly cursor: Cursor;
  /** Whether all rows are invalid: what changed since the given cursor is not known. */
  readonly clear: boolean;
  /** Everything that changed since the given cursor. */
  readonly changes: readonly Change<Match>[];
  /** The rows of the requested keys by cache key, in this state or a newer one. A key without a row is unknown. */
  readonly rows: ReadonlyMap<string, Row<Match>>;
  /** For how long, since before the read, no change that the snapshot lacks is answered. 0: not known. */
  readonly leaseMs: number;
  /** The minimum time from the start of this read to that of the next one. */
  readonly pauseMs: number;
}

/** The presented keys that are not cached, by cache key. */
export type MissingKeys = ReadonlyMap<string, string>;

export interface StateSource<Cursor, Match, Answer> {
  /** Reads a state at least as new as this call, and the missing keys. The cursor is null if the cache is empty. */
  readonly read: (cursor: Cursor | null, missing: MissingKeys) => Answer | Promise<Answer>;
  readonly snapshotOf: (answer: Answer, cursor: Cursor | null, missing: MissingKeys) => Snapshot<Cursor, Match>;
  /** Whether a read failed because the source has too much to do. Its verifications then wait for the next one. */
  readonly isBusy?: (error: unknown) => boolean;
}
