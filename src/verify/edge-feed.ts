/**
 * Answers the requests of edges, which cache keys as a verification process does and confirm them over HTTP.
 *
 * Every request waits for a confirmation round that starts after its arrival, also during a lease of this process. The
 * cursor of the answer is the state of that round. Rows may be newer, when a key had to be looked up again: its change is
 * then reported once more after the cursor, and the edge drops the row. They are never older.
 */

import { isConflict } from '../domain/secret/matching-keys.ts';
import { hasSecretShape } from '../domain/secret/secret.ts';
import type { KeyCache } from '../engine/key-cache.ts';
import type { KeyLookup, KeySearch } from '../engine/key-search.ts';
import type { FeedRequest } from '../wire/feed-messages.ts';
import type { CachedMatch } from './cached-key.ts';
import type { ConflictReports } from './conflict-reports.ts';
import { EdgeCount } from './edge-count.ts';
import { feedRow } from './feed-row.ts';
import type { ChangesSince, RecentChanges } from './recent-changes.ts';
import type { StoreRounds, StoreSource } from './store-source.ts';

export interface FeedParts {
  readonly rounds: StoreRounds;
  readonly state: Pick<StoreSource, 'imports' | 'grantedMs'>;
  readonly search: KeySearch<CachedMatch>;
  readonly cache: Pick<KeyCache<CachedMatch>, 'dependenciesOf'>;
  readonly changes: RecentChanges;
  readonly conflicts: ConflictReports;
}

export interface FeedResponder {
  /** Receives the answer, a `FeedAnswer` as JSON text. */
  readonly answer: (text: string) => void;
  /** Called when the store does not answer. */
  readonly fail: (error: unknown) => void;
}

export class EdgeFeed {
  readonly #parts: FeedParts;
  readonly #edges = new EdgeCount();

  constructor(parts: FeedParts) {
    this.#parts = parts;
  }

  /** The number of edges that sent a request recently. */
  get edges(): number {
    return this.#edges.size(performance.now());
  }

  handle(request: FeedRequest, respond: FeedResponder): void {
    const now = performance.now();
    this.#edges.add(request.edge, now);
    const pending = new PendingRequest(this.#parts, request, this.#edges.pauseMs(now), respond);
    pending.start();
  }
}

class PendingRequest {
  readonly #parts: FeedParts;
  readonly #request: FeedRequest;
  readonly #pauseMs: number;
  readonly #respond: FeedResponder;
  readonly #rows: string[];
  #missing: number;
  #hasFailed = false;
  #state = '';

  constructor(parts: FeedParts, request: FeedRequest, pauseMs: number, respond: FeedResponder) {
    this.#parts = parts;
    this.#request = request;
    this.#pauseMs = pauseMs;
    this.#respond = respond;
    this.#rows = Array<string>(request.keys.length).fill('');
    this.#missing = request.keys.length + 1;
  }

  start(): void {
    const fail = (error: unknown) => this.#fail(error);
    const { rounds, search } = this.#parts;
    // The first in its round, so that the state is that of the oldest row.
    rounds.confirm({ secret: '', cacheKey: null, fresh: true, decide: () => this.#takeState(), fail });
    for (const [i, secret] of this.#request.keys.entries()) {
      const lookup: KeyLookup<CachedMatch> = {
        secret,
        cacheKey: null,
        // Served by the lease, a row would be older than the state.
        fresh: true,
        // The edge limits the unknown keys of its callers.
        source: undefined,
        limited: fail,
        decide: (match) => this.#takeRow(i, lookup, match),
        malformed: () => this.#take(i, feedRow({ code: 'MALFORMED' }, false)),
        fail,
      };
      search.find(lookup);
    }
  }

  #takeState(): void {
    const { state, changes } = this.#parts;
    const { clear, changed, imports }: ChangesSince = changes.since(this.#request.cursor);
    this.#state = JSON.stringify({
      cursor: changes.cursor,
      clear,
      changed,
      importsChanged: imports,
      namesImports: true,
      imports: state.imports,
      leaseMs: state.grantedMs,
      pauseMs: this.#pauseMs,
    });
    this.#settle();
  }

  #takeRow(index: number, { secret, cacheKey }: KeyLookup<CachedMatch>, match: CachedMatch | undefined): void {
    const { cache, conflicts } = this.#parts;
    const isOurs = hasSecretShape(secret);
    if (match !== undefined && isConflict(match)) conflicts.add(match);
    // A text in a foreign format could only have been an imported key.
    const row = match ?? ({ code: isOurs ? 'NOT_FOUND' : 'MALFORMED' } as const);
    // The match has just been found in the cache or added to it.
    const dependencies = cacheKey === null ? undefined : cache.dependenciesOf(cacheKey);
    this.#take(index, feedRow(row, !isOurs, dependencies));
  }

  #take(index: number, row: string): void {
    this.#rows[index] = row;
    this.#settle();
  }

  #settle(): void {
    this.#missing -= 1;
    if (this.#missing > 0 || this.#hasFailed) return;
    this.#respond.answer(`${this.#state.slice(0, -1)},"keys":[${this.#rows.join(',')}]}`);
  }

  #fail(error: unknown): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#respond.fail(error);
  }
}
