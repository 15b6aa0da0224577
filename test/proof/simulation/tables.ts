/** The committed rows of the simulated PostgreSQL, and the snapshot that verification processes read of them. */
import type { Fence } from '../../../src/domain/fence/fence.ts';
import type { IdempotentCreate } from '../../../src/domain/key/idempotency.ts';
import type { Metadata } from '../../../src/domain/key/metadata.ts';
import type { RotatedSecret } from '../../../src/domain/secret/rotated-secret.ts';
import type { FeedKey, StoreSnapshot } from '../../../src/store/feed/key-feed.ts';
import { maxChanges } from '../../../src/store/feed/key-feed.ts';
import type { KeyRow } from '../../../src/store/rows/key-rows.ts';
import { idSecret } from '../../support/plain-keys.ts';

export interface Revision {
  readonly current: bigint;
  readonly imports: boolean;
  /** The last change of a fence. */
  readonly fences: bigint;
  readonly leaseMs: number;
}

export class Tables {
  revision: Revision;
  readonly keys = new Map<string, KeyRow>();
  readonly fences = new Map<string, Fence>();
  readonly idempotentCreates = new Map<string, IdempotentCreate>();
  readonly #idsByDigest = new Map<string, Set<string>>();
  readonly #rotatedByDigest = new Map<string, RotatedSecret[]>();
  /** The ids of written keys, in the order of their revisions. */
  readonly #log: { readonly revision: number; readonly id: string }[] = [];

  constructor(leaseMs: number) {
    this.revision = { current: 0n, imports: false, fences: 0n, leaseMs };
  }

  writeKey(row: KeyRow): void {
    const before = this.keys.get(row.id);
    if (before !== undefined) this.#idsByDigest.get(before.digest)?.delete(row.id);
    this.keys.set(row.id, row);
    addTo(this.#idsByDigest, row.digest, row.id);
    const entry = { revision: Number(row.revision), id: row.id };
    // Already in order, except in a build that commits revisions out of order.
    const place = this.#log.findLastIndex(({ revision }) => revision <= entry.revision) + 1;
    this.#log.splice(place, 0, entry);
  }

  /** What the trigger does. */
  writeFence(id: string, fence: Fence | null): void {
    if (fence === null) this.fences.delete(id);
    else this.fences.set(id, fence);
    const current = this.revision.current + 1n;
    this.revision = { ...this.revision, current, fences: current };
  }

  writeRotated(secret: RotatedSecret): void {
    this.#rotatedByDigest.set(secret.digest, [...this.rotatedWith(secret.digest), secret]);
  }

  keysWith(digest: string): KeyRow[] {
    return [...(this.#idsByDigest.get(digest) ?? [])].flatMap((id) => this.keys.get(id) ?? []);
  }

  rotatedWith(digest: string): readonly RotatedSecret[] {
    return this.#rotatedByDigest.get(digest) ?? [];
  }

  /** Returns what the statement of postgres-key-feed.ts returns. */
  snapshot(
    since: number | null,
    digests: readonly string[],
    ids: readonly string[],
  ): Omit<StoreSnapshot, 'overflow' | 'epoch'> {
    const { current, imports, leaseMs } = this.revision;
    const changed = since === null || Number(current) - since > maxChanges ? [] : this.#changedSince(since);
    const found = digests.flatMap((digest) => [
      ...this.keysWith(digest).map(currentKey),
      ...this.rotatedWith(digest).flatMap((secret) => {
        const row = this.keys.get(secret.keyId);
        return row === undefined ? [] : [rotatedKey(row, secret)];
      }),
    ]);
    const byId = ids.flatMap((id) => this.keys.get(id) ?? []).map(currentKey);
    const keys = [...changed.map(currentKey), ...found, ...byId];
    const fences = { revision: Number(this.revision.fences), up: [...this.fences.values()] };
    return { revision: Number(current), imports, idSecret, fences, leaseMs, keys };
  }

  #changedSince(since: number): KeyRow[] {
    const changed = new Map<string, KeyRow>();
    for (let i = this.#log.length - 1; i >= 0; i -= 1) {
      const entry = this.#log[i];
      if (entry === undefined || entry.revision <= since) break;
      const row = this.keys.get(entry.id);
      if (row !== undefined && row.revision > since) changed.set(row.id, row);
    }
    return [...changed.values()];
  }
}

function addTo(sets: Map<string, Set<string>>, name: string, value: string): void {
  const set = sets.get(name);
  if (set === undefined) sets.set(name, new Set([value]));
  else set.add(value);
}

function currentKey(row: KeyRow): FeedKey {
  return feedKeyOf(row, row.digest, row.secretVersion);
}

function rotatedKey(row: KeyRow, { digest, version }: RotatedSecret): FeedKey {
  return feedKeyOf(row, digest, version);
}

function feedKeyOf(row: KeyRow, digest: string, digestVersion: number): FeedKey {
  const { createdAt, expiresAt, previousExpiresAt, previousSigningExpiresAt, importRevision, metadata } = row;
  return {
    ...row,
    digest,
    digestVersion,
    revision: Number(row.revision),
    importRevision: importRevision === null ? null : Number(importRevision),
    metadata: metadata as Metadata | null,
    createdAt: createdAt.getTime(),
    expiresAt: timeOf(expiresAt),
    previousExpiresAt: timeOf(previousExpiresAt),
    previousSigningExpiresAt: timeOf(previousSigningExpiresAt),
    revoked: row.revokedAt !== null,
    disabled: row.disabledAt !== null,
  };
}

function timeOf(date: Date | null): number | null {
  return date === null ? null : date.getTime();
}
