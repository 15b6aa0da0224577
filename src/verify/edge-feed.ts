/**
 * Answers the requests of edges, which cache keys as a verification process does and confirm the keys over HTTP.
 *
 * Every request waits for a confirmation round that starts after its arrival, even during a lease of this process. The
 * cursor of the answer is the state of that round. Rows are never older than the cursor. A row that a later round
 * read can be newer. The next answer then reports the change of this key, and the edge drops the row.
 */

import { hasKeyShape, isDerived } from '../domain/secret/secret-shape.ts';
import { parseIpAddress } from '../domain/source/ip-address.ts';
import type { KeyLookup, KeySearch } from '../engine/key-search.ts';
import type { Scheduler } from '../lib/scheduler.ts';
import type { StateRecorder } from '../usage/state-recorder.ts';
import type { TripRecorder } from '../usage/trip-recorder.ts';
import type { FeedAnswer, FeedRequest } from '../wire/feed-messages.ts';
import type { CachedKey } from './cached-key.ts';
import { EdgeCount } from './edge-count.ts';
import { feedRow } from './feed-row.ts';
import type { RecentChanges } from './recent-changes.ts';
import type { StoreRounds, StoreSource } from './store-source.ts';

export interface FeedParts {
  readonly rounds: StoreRounds;
  readonly state: Pick<StoreSource, 'imports' | 'grantedMs' | 'revision' | 'fences'>;
  readonly search: KeySearch<CachedKey>;
  readonly changes: RecentChanges;
  readonly states: Pick<StateRecorder, 'record'>;
  readonly trips: Pick<TripRecorder, 'record'>;
  readonly scheduler: Pick<Scheduler, 'now' | 'date'>;
}

/** Edges of 0.1 reject an answer without this field. If it were true, they would drop all imported keys. */
const forOldEdges = { importsChanged: false } as const;

export class EdgeFeed {
  readonly #parts: FeedParts;
  readonly #edges = new EdgeCount();

  constructor(parts: FeedParts) {
    this.#parts = parts;
  }

  /** The number of edges that sent a request recently. */
  get edges(): number {
    return this.#edges.size(this.#parts.scheduler.now());
  }

  /** Resolves to the answer, a `FeedAnswer` as JSON text. Rejects when the store does not answer. */
  async handle({ edge, cursor, keys, sources = [] }: FeedRequest): Promise<string> {
    const now = this.#parts.scheduler.now();
    this.#edges.add(edge, now);
    // Requested before the rows, so that no row is older than the state.
    const reading = this.#stateSince(edge, cursor, this.#edges.pauseMs(now));
    const [state, ...rows] = await Promise.all([
      reading,
      ...keys.map((secret, i) => this.#rowOf(secret, sources[i] ?? null)),
    ]);
    return `${state.slice(0, -1)},"keys":[${rows.join(',')}]}`;
  }

  #stateSince(edge: string, cursor: string | null, pauseMs: number): Promise<string> {
    const { rounds, state, changes } = this.#parts;
    const read = (): string => {
      this.#noteState(edge, cursor);
      const { clear, changed } = changes.since(cursor);
      const { imports, grantedMs: leaseMs, revision } = state;
      const now = { cursor: changes.cursor, revision, imports, leaseMs, pauseMs };
      const answer: Omit<FeedAnswer, 'keys'> = { ...now, clear, changed };
      return JSON.stringify({ ...answer, ...forOldEdges });
    };
    return new Promise((resolve, fail) => {
      rounds.confirm({ secret: '', cacheKey: null, fresh: true, decide: () => resolve(read()), fail });
    });
  }

  /** After the round: an edge can't have confirmed what is newer. */
  #noteState(edge: string, cursor: string | null): void {
    const { states, changes, scheduler } = this.#parts;
    const seenAt = new Date(scheduler.date());
    states.record({ id: edge, kind: 'EDGE', revision: changes.revisionOf(cursor) ?? 0, confirmedAt: seenAt, seenAt });
  }

  #rowOf(secret: string, source: string | null): Promise<string> {
    return new Promise((resolve, reject) => {
      const lookup: KeyLookup<CachedKey> = {
        secret,
        cacheKey: null,
        // Does not use the lease, because a row from it could be older than the state.
        fresh: true,
        // No limit on unknown keys here: the edge limits its own callers.
        source: undefined,
        limited: reject,
        decide: (match) => resolve(this.#foundRow(lookup, match, source)),
        malformed: () => resolve(feedRow({ code: 'MALFORMED' }, false)),
        fail: reject,
      };
      this.#parts.search.find(lookup);
    });
  }

  #foundRow({ secret }: KeyLookup<CachedKey>, found: CachedKey | undefined, source: string | null): string {
    const isOurs = hasKeyShape(secret);
    const { state, trips, scheduler } = this.#parts;
    // The edge answers NOT_FOUND, and can tell no tripwire from an unknown key.
    if (found?.tripwire === true) trips.record(found, parseIpAddress(source ?? '') ?? undefined, scheduler.date());
    const match = found?.tripwire === true ? undefined : found;
    if (match !== undefined) state.fences.mark(match);
    // Without a match, a text in a foreign format is not a key. Edges before 0.3 take a token for an imported key.
    return feedRow(match ?? { code: isOurs ? 'NOT_FOUND' : 'MALFORMED' }, !isOurs || isDerived(secret));
  }
}
