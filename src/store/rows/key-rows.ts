import { searchable, sortable } from '../../domain/folded-text.ts';
import type { ApiKey, StoredKey } from '../../domain/key/api-key.ts';
import { rateLimitOf } from '../../domain/key/rate-limit.ts';
import { settingNames, settings } from '../../domain/key/settings.ts';
import type { Prisma } from '../generated/sqlite/client.ts';

export type StoredKeyRow = Prisma.ApiKeyGetPayload<object>;

export interface KeyRow extends Omit<ApiKey, 'rateLimit'> {
  readonly rateLimit: number | null;
  readonly rateLimitWindowSeconds: number | null;
  readonly searchText: string;
  readonly revision: bigint;
}

const listNames = settingNames.filter((name) => settings[name].kind === 'list');

/** Reads each setting from the column with its name. Only a rate limit has a second column. */
export function keyFromRow({ searchText: _, rateLimitWindowSeconds, ...row }: StoredKeyRow): StoredKey {
  for (const name of listNames) checkList(row[name], row.id);
  const rateLimit = rateLimitOf(row.rateLimit, rateLimitWindowSeconds);
  // Each setting has a value of its kind.
  return Object.assign(row, { rateLimit }) as unknown as StoredKey;
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

function checkList(value: unknown, id: string): void {
  if (!Array.isArray(value)) throw new Error(`a list of key ${id} is not a list`);
}

/**
 * Begins and separates the parts of `searchText`: no name and no search has it. First is the name as lists are sorted by
 * it. Then the name and the prefixes as searches compare them, also the previous prefix, which logs may contain.
 * Versions up to 0.1 write no text to sort by, so their rows begin with the name, and sort behind all others until the
 * upkeep has converted them.
 */
const separator = '\n';

/** The text of a row of an earlier version is not before this one. */
export const firstOldText = ' ';

export function isOldText(searchText: string): boolean {
  return searchText >= firstOldText;
}

function searchTextOf({ name, prefix, previousPrefix }: Pick<ApiKey, 'name' | 'prefix' | 'previousPrefix'>): string {
  const searched = previousPrefix === null ? [name, prefix] : [name, prefix, previousPrefix];
  return ['', sortable(name), ...searched.map(searchable)].join(separator);
}
