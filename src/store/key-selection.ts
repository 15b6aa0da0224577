/** Builds the conditions and the order of key queries, in the SQL of both databases. The key's row is called `k`. */
import { join, raw, type Sql, sqltag as sql } from '@prisma/client/runtime/client';
import type { KeyEnv, KeyState } from '../domain/api-key.ts';
import { searchable } from '../domain/text.ts';
import type { BulkDialect } from './bulk-rows.ts';

export type KeyOrderField = 'CREATED_AT' | 'NAME' | 'EXPIRES_AT';

/** Selects the keys of a team that meet all conditions. */
export interface KeySelection {
  readonly teamId: string;
  readonly env?: KeyEnv | undefined;
  readonly states: readonly KeyState[];
  readonly search?: string | undefined;
  readonly signingEnabled?: boolean | undefined;
  readonly expiresBefore?: Date | undefined;
  readonly expiresAfter?: Date | undefined;
  readonly createdBefore?: Date | undefined;
  readonly neverUsed?: boolean | undefined;
  readonly unusedSince?: Date | undefined;
  readonly externalId?: string | undefined;
  /** The key has all of these. */
  readonly tags?: readonly string[] | undefined;
  /** The time that the states depend on. */
  readonly now: Date;
}

export interface KeyListing extends KeySelection {
  readonly orderBy: { readonly field: KeyOrderField; readonly direction: 'ASC' | 'DESC' };
  /** The position of the last entry of the previous page. */
  readonly after?: KeyPosition | undefined;
  readonly limit: number;
}

/** The value that a key is ordered by, and its id. */
export interface KeyPosition {
  readonly value: Date | string | null;
  readonly id: string;
}

export const orderColumns = { CREATED_AT: 'createdAt', NAME: 'searchText', EXPIRES_AT: 'expiresAt' } as const;

/** The SQL conditions of a selection, to be joined with AND. */
export function conditions(provider: BulkDialect, selection: KeySelection): Sql[] {
  const {
    teamId,
    env,
    search,
    signingEnabled,
    expiresBefore,
    expiresAfter,
    createdBefore,
    neverUsed,
    unusedSince,
    externalId,
    tags = [],
  } = selection;
  const all = [sql`k."teamId" = ${teamId}`, ...inStates(selection)];
  if (env !== undefined) all.push(sql`CAST(k."env" AS TEXT) = ${env}`);
  if (search !== undefined) all.push(sql`${position(provider)}(k."searchText", ${searchable(search)}) > 0`);
  if (signingEnabled !== undefined) all.push(raw(`k."signingEnvelope" IS ${signingEnabled ? 'NOT ' : ''}NULL`));
  if (expiresBefore !== undefined) all.push(sql`k."expiresAt" < ${expiresBefore}`);
  if (expiresAfter !== undefined) all.push(sql`k."expiresAt" > ${expiresAfter}`);
  if (createdBefore !== undefined) all.push(sql`k."createdAt" < ${createdBefore}`);
  const use = sql`SELECT 1 FROM "KeyUsage" u WHERE u."keyId" = k."id"`;
  if (neverUsed !== undefined) all.push(neverUsed ? sql`NOT EXISTS (${use})` : sql`EXISTS (${use})`);
  // Includes keys that were never used.
  if (unusedSince !== undefined) all.push(sql`NOT EXISTS (${use} AND u."lastUsedAt" >= ${unusedSince})`);
  if (externalId !== undefined) all.push(sql`k."externalId" = ${externalId}`);
  for (const tag of tags) all.push(hasTag(provider, tag));
  return all;
}

function hasTag(provider: BulkDialect, tag: string): Sql {
  return provider === 'sqlite'
    ? sql`EXISTS (SELECT 1 FROM json_each(k."tags") t WHERE t."value" = ${tag})`
    : sql`jsonb_exists(k."tags", ${tag})`;
}

/** Not LIKE: on a name of one repeated letter, SQLite takes ten times as long for it. */
function position(provider: BulkDialect): Sql {
  return raw(provider === 'sqlite' ? 'instr' : 'strpos');
}

/** A revoked key is REVOKED. Otherwise a disabled key is DISABLED, whether or not it has expired. */
function inStates({ states, now }: KeySelection): Sql[] {
  const unrevoked = [
    ...(states.includes('DISABLED') ? [raw('k."disabledAt" IS NOT NULL')] : []),
    ...(states.includes('ACTIVE') ? [sql`(${enabled} AND (k."expiresAt" IS NULL OR k."expiresAt" > ${now}))`] : []),
    ...(states.includes('EXPIRED') ? [sql`(${enabled} AND k."expiresAt" <= ${now})`] : []),
  ];
  const revoked = raw('k."revokedAt" IS NOT NULL');
  if (unrevoked.length === 0) return [revoked];
  // All three need no condition. All four states need none at all, so the plain index is used.
  const all = unrevoked.length === 3;
  const kept = [raw('k."revokedAt" IS NULL'), ...(all ? [] : [sql`(${join(unrevoked, ' OR ')})`])];
  if (!states.includes('REVOKED')) return kept;
  return all ? [] : [sql`((${join(kept, ' AND ')}) OR ${revoked})`];
}

const enabled = raw('k."disabledAt" IS NULL');

export function orderOf({ orderBy: { field, direction } }: KeyListing): Sql {
  const nulls = field === 'EXPIRES_AT' ? ` NULLS ${direction === 'ASC' ? 'LAST' : 'FIRST'}` : '';
  return raw(`k."${orderColumns[field]}" ${direction}${nulls}, k."id" ${direction}`);
}

/**
 * Selects the entries after a position (keyset pagination). OFFSET would cost more with each page, and would skip or
 * repeat entries when others are added or removed. The first condition bounds the index scan, the second is exact.
 */
export function behindPosition({ orderBy, after }: KeyListing): Sql[] {
  if (after === undefined) return [];
  const column = raw(`k."${orderColumns[orderBy.field]}"`);
  const ascending = orderBy.direction === 'ASC';
  const comparison = raw(ascending ? '>' : '<');
  const { value, id } = after;
  const next = sql`k."id" ${comparison} ${id}`;
  if (value === null) {
    const tied = sql`(${column} IS NULL AND ${next})`;
    return [ascending ? tied : sql`(${tied} OR ${column} IS NOT NULL)`];
  }
  const beyond = sql`${column} ${comparison} ${value}`;
  const tied = sql`(${column} = ${value} AND ${next})`;
  // Null, for keys that never expire, is the greatest value.
  if (orderBy.field === 'EXPIRES_AT' && ascending) return [sql`(${beyond} OR ${tied} OR ${column} IS NULL)`];
  return [sql`${column} ${comparison}= ${value}`, sql`(${beyond} OR ${tied})`];
}

/** The length of a JSON value as text. SQLite stores text, and knows the length without reading it. */
export function jsonBytes(provider: BulkDialect, column: string): Sql {
  return raw(`octet_length(${provider === 'sqlite' ? column : `CAST(${column} AS TEXT)`})`);
}
