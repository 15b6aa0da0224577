import type { ApiKey, StoredKey } from '../../domain/key/api-key.ts';
import type { Metadata } from '../../domain/key/metadata.ts';
import { searchable } from '../../domain/text.ts';
import type { Prisma } from '../generated/sqlite/client.ts';

/** A row as Prisma reads it. */
export type Row = Prisma.ApiKeyGetPayload<object>;

/** A row as it is written. */
export interface KeyRow extends Omit<ApiKey, 'rateLimit'> {
  readonly rateLimit: number | null;
  readonly rateLimitWindowSeconds: number | null;
  readonly searchText: string;
  readonly revision: bigint;
}

export function keyFromRow(row: Row): StoredKey {
  const { searchText: _, allowedIps, scopes, tags, metadata, rateLimit, rateLimitWindowSeconds, ...key } = row;
  return {
    ...key,
    allowedIps: listOf(allowedIps, key.id),
    scopes: listOf(scopes, key.id),
    tags: listOf(tags, key.id),
    metadata: metadata as Metadata | null,
    rateLimit: rateLimitOf(rateLimit, rateLimitWindowSeconds),
  };
}

export function rowFromKey({ rateLimit, ...key }: ApiKey, revision: bigint): KeyRow {
  return {
    ...key,
    rateLimit: rateLimit?.limit ?? null,
    rateLimitWindowSeconds: rateLimit?.windowSeconds ?? null,
    searchText: searchTextOf(key),
    revision,
  };
}

export function rateLimitOf(limit: number | null, windowSeconds: number | null): ApiKey['rateLimit'] {
  return limit === null || windowSeconds === null ? null : { limit, windowSeconds };
}

function listOf(value: unknown, keyId: string): string[] {
  if (!Array.isArray(value)) throw new Error(`a list of key ${keyId} is not a list`);
  return value.map(String);
}

/**
 * A key is also found by the prefix of its previous secret, as logs may contain it. The separator is a character that no
 * name or query can have.
 */
function searchTextOf({ name, prefix, previousPrefix }: Pick<ApiKey, 'name' | 'prefix' | 'previousPrefix'>): string {
  const parts = previousPrefix === null ? [name, prefix] : [name, prefix, previousPrefix];
  return parts.map(searchable).join('\n');
}
