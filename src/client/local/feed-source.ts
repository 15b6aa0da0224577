import { formatIpAddress } from '../../domain/source/ip-address.ts';
import type { ConfirmationRounds } from '../../engine/confirmation-rounds.ts';
import type { KeyCacheOptions } from '../../engine/key-cache.ts';
import type { CacheRow, MissingKeys, Snapshot, StateSource } from '../../engine/state-source.ts';
import type { FeedAnswer, FeedMismatch, FeedRow } from '../../wire/feed-messages.ts';
import { VerifierUnavailableError } from '../verdict.ts';
import { parseFeedAnswer } from './feed-answer.ts';
import { LocalKey } from './local-key.ts';
import type { Upstreams } from './upstreams.ts';

export type LocalMatch = LocalKey | FeedMismatch;

export type FeedRounds = ConfirmationRounds<string, LocalMatch, FeedAnswer>;

export interface FeedSourceOptions {
  readonly upstreams: Pick<Upstreams, 'post'>;
  /** A UUID that names this edge. */
  readonly edge: string;
  /** A verification is decided or fails within this time after its arrival. */
  readonly timeoutMs: number;
  /** The minimum time between the starts of two requests, even if the service requires no pause. */
  readonly minPauseMs: number;
}

export const matchesInCache: Pick<KeyCacheOptions<LocalMatch>, 'bytesOf' | 'idOf'> = {
  bytesOf: (match) => (match instanceof LocalKey ? match.bytes : 0),
  idOf: (match) => (match instanceof LocalKey ? match.id : ''),
};

// Every answer must fit these limits: if the keys of one team exceeded them, all other teams would be blocked.
/** For the state, 1,000 ids of changed keys and, from services of 0.1, 1,000 names of imported keys. */
const stateBytes = 64 * 1024;
/** For one key with scopes, metadata and 100 sources of 255 escaped characters. */
const rowBytes = 128 * 1024;

export class FeedSource implements StateSource<string, LocalMatch, FeedAnswer> {
  readonly #options: FeedSourceOptions;
  /** Whether any key was imported, according to the last answer. */
  imports = false;
  /** The state of the last answer, for callers of an edge; undefined if the service does not name it. */
  revision: string | undefined;

  constructor(options: FeedSourceOptions) {
    this.#options = options;
  }

  async read(cursor: string | null, missing: MissingKeys): Promise<FeedAnswer> {
    const { upstreams, edge } = this.#options;
    const keys = [...missing.values()].map(({ secret }) => secret);
    const sources = [...missing.values()].map(({ source }) => (source === undefined ? null : formatIpAddress(source)));
    return await upstreams.post({
      path: 'feed',
      body: keys.length === 0 ? { edge, cursor, keys } : { edge, cursor, keys, sources },
      secrets: keys,
      limitBytes: stateBytes + rowBytes * keys.length,
      parse: (value) => parseFeedAnswer(value, keys.length),
    });
  }

  snapshotOf(answer: FeedAnswer, _: string | null, missing: MissingKeys): Snapshot<string, LocalMatch> {
    const { clear, changed, cursor, imports, leaseMs } = answer;
    const { minPauseMs, timeoutMs } = this.#options;
    const rows = new Map([...missing.keys()].map((cacheKey, i) => [cacheKey, rowOf(answer.keys[i])]));
    this.imports = imports;
    this.revision = answer.revision;
    return {
      cursor,
      clear,
      changes: changed.map((id) => ({ id, replacement: null })),
      rows,
      leaseMs,
      // Limits the pause, because verifications that wait for the next request could time out.
      pauseMs: Math.max(minPauseMs, Math.min(answer.pauseMs, timeoutMs / 4)),
    };
  }

  /** Returns whether the upstream is overloaded, for example after a restart, when edges request all keys. */
  isBusy(error: unknown): boolean {
    return error instanceof VerifierUnavailableError && error.status === 503;
  }
}

function rowOf(answered: FeedRow | FeedMismatch | undefined): CacheRow<LocalMatch> {
  if (answered === undefined) throw new RangeError('the answer must have a row for each key');
  if ('code' in answered) return { match: answered, onChange: null };
  const match = new LocalKey(answered);
  // As in the service: the key that decides on an imported one is found by a lookup.
  if (answered.imported) return { match, onChange: answered.dependencies?.length === 0 ? 'drop' : null };
  return { match, onChange: answered.secret === 'current' ? 'replace' : 'drop' };
}
