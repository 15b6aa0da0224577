import type { ApiKey, StoredKey } from '../domain/api-key.ts';
import { searchable } from '../domain/text.ts';
import type { Prisma } from './generated/sqlite/client.ts';

export type Row = Prisma.ApiKeyGetPayload<object>;

export function keyFromRow(row: Row): StoredKey {
  const { searchText: _, allowedIps, ...key } = row;
  if (!Array.isArray(allowedIps)) throw new Error(`the allowed sources of key ${key.id} are no list`);
  return { ...key, allowedIps: allowedIps.map(String) };
}

export function rowFromKey(key: ApiKey, revision: bigint): Prisma.ApiKeyCreateManyInput {
  return { ...key, allowedIps: [...key.allowedIps], searchText: searchTextOf(key), revision };
}

/** The separator is a character that no name or query can have. */
function searchTextOf(key: ApiKey): string {
  return `${searchable(key.name)}\n${searchable(key.prefix)}`;
}
