import { type DerivedToken, openDerived } from '../domain/derived/derived-token.ts';
import { WrittenRevision } from '../domain/opaque-revisions.ts';
import { firstImport } from '../domain/secret/first-import.ts';
import type { KeyRing } from '../domain/secret/key-ring.ts';
import { digestsOf } from '../domain/secret/secret-digest.ts';
import { isDerived } from '../domain/secret/secret-shape.ts';
import type { ConfirmationRounds } from '../engine/confirmation-rounds.ts';
import type { CacheChange, CacheRow, MissingKeys, Snapshot, StateSource } from '../engine/state-source.ts';
import type { FeedKey, KeyFeed, StoreSnapshot } from '../store/feed/key-feed.ts';
import { type CachedKey, cachedKey } from './cached-key.ts';
import type { RecentChanges } from './recent-changes.ts';
import { UpFences } from './up-fences.ts';

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

export type StoreRounds = ConfirmationRounds<number, CachedKey, StoreAnswer>;

interface Requested {
  readonly digests: readonly string[];
  readonly cacheKeyByDigest: ReadonlyMap<string, string>;
  /** By the id of the key. */
  readonly derived: ReadonlyMap<string, readonly RequestedToken[]>;
}

interface RequestedToken {
  readonly cacheKey: string;
  readonly token: DerivedToken;
}

/** The state of the keys in the store, where keys are found by the digests of their secrets. */
export class StoreSource implements StateSource<number, CachedKey, StoreAnswer> {
  readonly #options: StoreSourceOptions;
  /** Whether any key had been imported in the last confirmed state. */
  imports = false;
  /** The revision of the last confirmed state. */
  confirmed = 0;
  /** How long the last confirmed state may be used after the start of its read; 0 without a lease. */
  grantedMs = 0;
  readonly #written = new WrittenRevision();
  readonly fences = new UpFences();

  constructor(options: StoreSourceOptions) {
    this.#options = options;
  }

  /** The last confirmed state, as a text that only the service can read. */
  get revision(): string {
    return this.#written.text;
  }

  read(since: number | null, missing: MissingKeys): StoreAnswer | Promise<StoreAnswer> {
    const requested = missing.size === 0 ? noneRequested : requestedOf(missing, this.#options.peppers);
    const read = this.#options.feed.read(since, requested.digests, [...requested.derived.keys()]);
    return read instanceof Promise ? read.then((snapshot) => ({ snapshot, requested })) : { snapshot: read, requested };
  }

  snapshotOf({ snapshot, requested }: StoreAnswer, since: number | null): Snapshot<number, CachedKey> {
    const { revision, overflow, imports, fences, keys } = snapshot;
    const { pauseMs, leaseMs, changes } = this.#options;
    const found = keys.map((key) => ({ key, match: cachedKey(key) }));
    const rows = keys.length === 0 ? noRows : rowsOf(found, keys, requested);
    // Precedes the update of the cache. If the update fails, the next round starts from null and restarts this log.
    changes.add(since, snapshot);
    this.imports = imports;
    this.confirmed = revision;
    if (fences !== null) this.fences.set(fences);
    this.#written.set(snapshot.idSecret, revision);
    this.grantedMs = Math.min(leaseMs, snapshot.leaseMs);
    return {
      cursor: revision,
      clear: overflow,
      changes: found.filter(({ key }) => hasChanged(key, since)).map(({ match }) => changeOf(match)),
      rows,
      leaseMs: this.grantedMs,
      pauseMs,
    };
  }
}

/** A key that was only looked up must not drop its other entries: the tokens of one key would push each other out. */
function hasChanged({ revision }: FeedKey, since: number | null): boolean {
  return since === null || revision > since;
}

interface Found {
  readonly key: FeedKey;
  readonly match: CachedKey;
}

const noneRequested: Requested = { digests: [], cacheKeyByDigest: new Map(), derived: new Map() };
const noRows: ReadonlyMap<string, CacheRow<CachedKey>> = new Map();

function requestedOf(missing: MissingKeys, peppers: KeyRing): Requested {
  const cacheKeyByDigest = new Map<string, string>();
  const derived = new Map<string, RequestedToken[]>();
  for (const [cacheKey, { secret }] of missing) {
    const token = isDerived(secret) ? openDerived(secret, peppers) : null;
    if (token !== null) derived.set(token.keyId, [...(derived.get(token.keyId) ?? []), { cacheKey, token }]);
    for (const digest of digestsOf(secret, peppers)) cacheKeyByDigest.set(digest, cacheKey);
  }
  return { digests: [...cacheKeyByDigest.keys()], cacheKeyByDigest, derived };
}

/** The entries of imported keys and of earlier secrets are dropped, because only a lookup finds which key decides. */
const isReplaced = ({ rotated, importRevision }: CachedKey) => !rotated && importRevision === null;

/** A tripwire is looked up each time, as an unknown key is, so that it takes as long. */
function onChangeOf(key: CachedKey): CacheRow<CachedKey>['onChange'] {
  if (key.tripwire) return null;
  return isReplaced(key) ? 'replace' : 'drop';
}

function changeOf(key: CachedKey): CacheChange<CachedKey> {
  return { id: key.id, replacement: isReplaced(key) ? key : null };
}

/** Returns the rows of the requested keys. Leaves out changed keys that were not requested. */
function rowsOf(
  found: readonly Found[],
  keys: readonly FeedKey[],
  { cacheKeyByDigest, derived }: Requested,
): Map<string, CacheRow<CachedKey>> {
  const matching = new Map<string, [CachedKey, ...CachedKey[]]>();
  for (const { key, match } of found) {
    const cacheKey = cacheKeyByDigest.get(key.digest);
    if (cacheKey === undefined) continue;
    const others = matching.get(cacheKey);
    if (others === undefined) matching.set(cacheKey, [match]);
    else others.push(match);
  }
  const rows = new Map<string, CacheRow<CachedKey>>();
  for (const [cacheKey, keys] of matching) {
    const match = firstImport(keys);
    if (match !== undefined) rows.set(cacheKey, { match, onChange: onChangeOf(match) });
  }
  // Several states of a key can be there, and each is at least as new as the request.
  for (const key of derived.size === 0 ? [] : keys) {
    for (const { cacheKey, token } of derived.get(key.id) ?? []) {
      // Any change of the key ends the row, which then is read again.
      const row = { match: cachedKey(key, token), onChange: key.tripwire ? null : ('drop' as const) };
      rows.set(cacheKey, row);
    }
  }
  return rows;
}
