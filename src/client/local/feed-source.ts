import type { ConfirmationRounds } from '../../engine/confirmation-rounds.ts';
import type { KeyCacheOptions } from '../../engine/key-cache.ts';
import type { MissingKeys, Row, Snapshot, StateSource } from '../../engine/state-source.ts';
import type { FeedAnswer, FeedMismatch, FeedRow } from '../../wire/feed-messages.ts';
import { VerifierUnavailableError } from '../verdict.ts';
import { parseFeedAnswer } from './feed-answer.ts';
import { LocalKey } from './local-key.ts';
import type { Upstreams } from './upstreams.ts';

/** What a presented key matches. */
export type LocalMatch = LocalKey | FeedMismatch;

export type FeedRounds = ConfirmationRounds<string, LocalMatch, FeedAnswer>;

export interface FeedSourceOptions {
  readonly upstreams: Pick<Upstreams, 'post'>;
  /** A UUID that names this edge. */
  readonly edge: string;
  /** Within this time of its arrival, a verification is decided or fails. */
  readonly timeoutMs: number;
  /** The minimum time between the starts of two requests, also if the service sets none. */
  readonly minPauseMs: number;
}

export const matchesInCache: Pick<KeyCacheOptions<LocalMatch>, 'bytesOf' | 'idOf'> = {
  bytesOf: (match) => (match instanceof LocalKey ? match.bytes : 0),
  idOf: (match) => (match instanceof LocalKey ? match.id : null),
};

// An answer must never be too long, or the keys of one team could keep an edge from answering others.
/** For the state, 1,000 ids of changed keys and as many names of imported ones. */
const stateBytes = 64 * 1024;
/** For 100 sources of 255 characters with escapes, scopes and metadata. */
const rowBytes = 128 * 1024;

export class FeedSource implements StateSource<string, LocalMatch, FeedAnswer> {
  readonly #options: FeedSourceOptions;
  /** Whether any key had been imported in the last confirmed state. */
  imports = false;

  constructor(options: FeedSourceOptions) {
    this.#options = options;
  }

  async read(cursor: string | null, missing: MissingKeys): Promise<FeedAnswer> {
    const { upstreams, edge } = this.#options;
    const keys = [...missing.values()];
    return await upstreams.post({
      path: 'feed',
      body: { edge, cursor, keys },
      secrets: keys,
      limitBytes: stateBytes + rowBytes * keys.length,
      parse: (value) => parseFeedAnswer(value, keys.length),
    });
  }

  snapshotOf(answer: FeedAnswer, _: string | null, missing: MissingKeys): Snapshot<string, LocalMatch> {
    const { clear, changed, importsChanged, namesImports, cursor, imports, leaseMs } = answer;
    const { minPauseMs, timeoutMs } = this.#options;
    const rows = new Map([...missing.keys()].map((cacheKey, i) => [cacheKey, rowOf(answer.keys[i])]));
    this.imports = imports;
    return {
      cursor,
      // A service of an earlier version does not name the rows of imported keys that have changed.
      clear: clear || (importsChanged && namesImports !== true),
      changes: changed.length === 0 ? [] : [{ names: changed, replacement: null }],
      rows,
      leaseMs,
      // Longer pauses would let verifications fail that wait for the next request.
      pauseMs: Math.max(minPauseMs, Math.min(answer.pauseMs, timeoutMs / 4)),
    };
  }

  /** Such as after a restart of the upstream, when many edges request all their keys. There is still time. */
  isBusy(error: unknown): boolean {
    return error instanceof VerifierUnavailableError && error.status === 503;
  }
}

function rowOf(answered: FeedRow | FeedMismatch | undefined): Row<LocalMatch> {
  if (answered === undefined) throw new RangeError('the answer must have a row for each key');
  if ('code' in answered) return { match: answered, dependencies: null };
  return { match: new LocalKey(answered), dependencies: dependenciesOf(answered) };
}

/** The row of an imported key is not cached when it is not known on what it depends. */
function dependenciesOf({ keyId, imported, secret, dependencies }: FeedRow): Row<LocalMatch>['dependencies'] {
  if (imported) return dependencies === undefined ? null : [...new Set([keyId, ...dependencies])];
  return secret === 'current' ? keyId : [keyId];
}
