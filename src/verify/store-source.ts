import type { KeyRing } from '../domain/secret/key-ring.ts';
import { isConflict, matchOf } from '../domain/secret/matching-keys.ts';
import { digestsOf } from '../domain/secret/secret-digest.ts';
import { hasSecretShape } from '../domain/secret/secret-shape.ts';
import type { ConfirmationRounds } from '../engine/confirmation-rounds.ts';
import type { CacheChange, MissingKeys, Row, Snapshot, StateSource } from '../engine/state-source.ts';
import type { KeyFeed, StoreSnapshot } from '../store/feed/key-feed.ts';
import { type CachedKey, type CachedMatch, cachedKey } from './cached-key.ts';
import type { RecentChanges } from './recent-changes.ts';

export interface StoreSourceOptions {
  readonly feed: KeyFeed;
  readonly peppers: KeyRing;
  /** The minimum time between the starts of two reads, which bounds the load on the store. */
  readonly pauseMs: number;
  /** The maximum lease. The store may grant less. */
  readonly leaseMs: number;
  readonly changes: RecentChanges;
}

export interface StoreAnswer {
  readonly snapshot: StoreSnapshot;
  readonly requested: Requested;
}

export type StoreRounds = ConfirmationRounds<number, CachedMatch, StoreAnswer>;

interface Requested {
  readonly digests: readonly string[];
  readonly cacheKeyByDigest: ReadonlyMap<string, string>;
  /** The digests by cache key, for presented keys in a foreign format, which only imported keys can match. */
  readonly importedDigests: ReadonlyMap<string, readonly string[]>;
}

/** The state of the keys in the store, where keys are found by the digests of their secrets. */
export class StoreSource implements StateSource<number, CachedMatch, StoreAnswer> {
  readonly #options: StoreSourceOptions;
  /** Whether any key had been imported in the last confirmed state. */
  imports = false;
  /** How long the last confirmed state may be used after the start of its read; 0 without a lease. */
  grantedMs = 0;

  constructor(options: StoreSourceOptions) {
    this.#options = options;
  }

  read(since: number | null, missing: MissingKeys): StoreAnswer | Promise<StoreAnswer> {
    const requested = missing.size === 0 ? noneRequested : requestedOf(missing, this.#options.peppers);
    const read = this.#options.feed.read(since, requested.digests);
    return read instanceof Promise ? read.then((snapshot) => ({ snapshot, requested })) : { snapshot: read, requested };
  }

  snapshotOf({ snapshot, requested }: StoreAnswer, since: number | null): Snapshot<number, CachedMatch> {
    const { revision, overflow, imports, keys } = snapshot;
    const { pauseMs, leaseMs, changes } = this.#options;
    const found = keys.map((key) => ({ digest: key.digest, match: cachedKey(key) }));
    const rows = keys.length === 0 ? noRows : rowsOf(found, requested);
    // Precedes the update of the cache. If the update fails, the next round starts from null and restarts this log.
    changes.add(since, snapshot);
    this.imports = imports;
    this.grantedMs = Math.min(leaseMs, snapshot.leaseMs);
    return {
      cursor: revision,
      clear: overflow,
      changes: found.map(changeOf),
      rows,
      leaseMs: this.grantedMs,
      pauseMs,
    };
  }
}

interface Found {
  readonly digest: string;
  readonly match: CachedKey;
}

const noneRequested: Requested = { digests: [], cacheKeyByDigest: new Map(), importedDigests: new Map() };
const noRows: ReadonlyMap<string, Row<CachedMatch>> = new Map();

function requestedOf(missing: MissingKeys, peppers: KeyRing): Requested {
  const cacheKeyByDigest = new Map<string, string>();
  const importedDigests = new Map<string, readonly string[]>();
  for (const [cacheKey, secret] of missing) {
    const digests = digestsOf(secret, peppers);
    for (const digest of digests) cacheKeyByDigest.set(digest, cacheKey);
    if (!hasSecretShape(secret)) importedDigests.set(cacheKey, digests);
  }
  return { digests: [...cacheKeyByDigest.keys()], cacheKeyByDigest, importedDigests };
}

/**
 * Returns how a changed key changes the cache. The row of its current secret is replaced. Rows of imported keys and of
 * earlier secrets are dropped, because their secrets may match other keys too.
 */
function changeOf({ digest, match }: Found): CacheChange<CachedMatch> {
  return match.rotated ? { names: [digest], replacement: null } : { names: [match.id, digest], replacement: match };
}

/** Returns the rows of the requested keys. Leaves out changed keys that were not requested. */
function rowsOf(
  found: readonly Found[],
  { cacheKeyByDigest, importedDigests }: Requested,
): Map<string, Row<CachedMatch>> {
  const matching = new Map<string, [CachedKey, ...CachedKey[]]>();
  for (const { digest, match } of found) {
    const cacheKey = cacheKeyByDigest.get(digest);
    if (cacheKey === undefined) continue;
    const others = matching.get(cacheKey);
    if (others === undefined) matching.set(cacheKey, [match]);
    else others.push(match);
  }
  const rows = new Map<string, Row<CachedMatch>>();
  for (const [cacheKey, keys] of matching) {
    const match = matchOf(keys);
    const digests = importedDigests.get(cacheKey);
    // The row of a current secret in Latchkey's format depends only on the id of its key.
    const isPlain = digests === undefined && !isConflict(match) && keys.every(({ rotated }) => !rotated);
    const dependencies = isPlain ? match.id : [...(digests ?? []), ...new Set(keys.map(({ id }) => id))];
    rows.set(cacheKey, { match, dependencies });
  }
  return rows;
}
