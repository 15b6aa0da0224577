/** Builds the conditions and the order of key queries, in the SQL of both databases. The key's row is called `k`. */
import { join, raw, type Sql, sqltag as sql } from '@prisma/client/runtime/client';
import type { MemberState } from '../../domain/access/team-member.ts';
import { areAllUnrevokedOrNone, type KeyEnv, type KeyState } from '../../domain/key/api-key.ts';
import type { SearchText } from '../../domain/key/search-text.ts';
import { settingNames, settings } from '../../domain/key/settings.ts';
import type { TeamRules } from '../../domain/policy/team-policies.ts';
import { spellingsOf } from '../../domain/text.ts';
import type { DatabaseProvider } from '../../lib/database-address.ts';
import { isEmptyList, textsIn } from '../json-rows.ts';
import { creatorOf } from './key-creator.ts';
import { isSearched } from './key-search-condition.ts';
import { hasResponsibleIn } from './member-condition.ts';
import { violates } from './policy-condition.ts';

/** The orders that an index has. */
export type IndexedField = 'CREATED_AT' | 'NAME' | 'EXPIRES_AT';
/** The orders by use, which is apart from the key's row: see keys-by-use.ts. */
export type UseField = 'LAST_USED_AT' | 'CALLS';
export type KeyOrderField = IndexedField | UseField;

export interface KeyConditions {
  readonly env?: KeyEnv | null | undefined;
  readonly search?: SearchText | null | undefined;
  readonly signingEnabled?: boolean | null | undefined;
  /** Whether a previous secret or signing secret is accepted. */
  readonly rotating?: boolean | null | undefined;
  /** Whether a secret has leaked that is accepted, or would be once the key is enabled or renewed. */
  readonly leaked?: boolean | null | undefined;
  readonly expiresBefore?: Date | null | undefined;
  readonly expiresAfter?: Date | null | undefined;
  readonly createdBefore?: Date | null | undefined;
  readonly neverUsed?: boolean | null | undefined;
  readonly unusedSince?: Date | null | undefined;
  readonly externalId?: string | null | undefined;
  readonly responsible?: string | null | undefined;
  /** Only keys whose responsible person is a member in one of these states. */
  readonly responsibleState?: readonly MemberState[] | null | undefined;
  /** Only keys that have all of these tags. */
  readonly tags?: readonly string[] | null | undefined;
  /** Only keys that have all of these scopes. */
  readonly scopes?: readonly string[] | null | undefined;
  readonly hasAllowedIps?: boolean | null | undefined;
  readonly neverExpires?: boolean | null | undefined;
  /** Whether the key violates a rule, and the rules. */
  readonly violating?: { readonly is: boolean; readonly rules: TeamRules } | null | undefined;
  readonly hasRateLimit?: boolean | null | undefined;
  /** The actor who created or imported the key. */
  readonly createdBy?: string | null | undefined;
}

export interface KeySelection extends KeyConditions {
  readonly teamId: string;
  readonly states: readonly KeyState[];
  readonly now: Date;
}

export interface KeyOrder<Field extends KeyOrderField = KeyOrderField> {
  readonly field: Field;
  readonly direction: 'ASC' | 'DESC';
}

export type IndexedOrder = KeyOrder<IndexedField>;

export interface KeyListing<Field extends KeyOrderField = KeyOrderField> extends KeySelection {
  readonly orderBy: KeyOrder<Field>;
  readonly after?: KeyPosition | undefined;
  readonly limit: number;
}

/** The value that a key is ordered by, and the id of the key. */
export interface KeyPosition {
  readonly value: Date | string | number | null;
  readonly id: string;
}

export const newestFirst = { field: 'CREATED_AT', direction: 'DESC' } as const;

export const orderColumns = { CREATED_AT: 'createdAt', NAME: 'searchText', EXPIRES_AT: 'expiresAt' } as const;

/** Returns conditions to be joined with AND, without the conditions of `listsOf`. */
export function conditions(provider: DatabaseProvider, selection: KeySelection): Sql[] {
  const { env, search, signingEnabled, rotating, expiresBefore, expiresAfter, createdBefore } = selection;
  const { now, leaked, neverUsed, unusedSince, externalId, responsible, tags, scopes, hasAllowedIps, neverExpires } =
    selection;
  const { hasRateLimit, violating, createdBy, responsibleState } = selection;
  const all = inStates(selection);
  if (env != null) all.push(sql`CAST(k."env" AS TEXT) = ${env}`);
  if (search != null) all.push(isSearched(provider, search));
  if (signingEnabled != null) all.push(raw(`k."signingEnvelope" IS ${signingEnabled ? 'NOT ' : ''}NULL`));
  if (rotating != null) all.push(sql`${raw(rotating ? '' : 'NOT ')}${isRotating(now)}`);
  if (leaked != null) all.push(sql`${raw(leaked ? '' : 'NOT ')}${hasLeak(now)}`);
  if (expiresBefore != null) all.push(sql`k."expiresAt" < ${expiresBefore}`);
  if (expiresAfter != null) all.push(sql`k."expiresAt" > ${expiresAfter}`);
  if (createdBefore != null) all.push(sql`k."createdAt" < ${createdBefore}`);
  const use = sql`SELECT 1 FROM "KeyUsage" u WHERE u."keyId" = k."id"`;
  if (neverUsed != null) all.push(neverUsed ? sql`NOT EXISTS (${use})` : sql`EXISTS (${use})`);
  // Includes keys that were never used.
  if (unusedSince != null) all.push(sql`NOT EXISTS (${use} AND u."lastUsedAt" >= ${unusedSince})`);
  if (externalId != null) all.push(sql`k."externalId" IN (${join(spellingsOf(externalId))})`);
  if (responsible != null) all.push(sql`k."responsible" IN (${join(spellingsOf(responsible))})`);
  if (tags != null) all.push(hasTags(provider, tags));
  if (scopes != null) all.push(hasAll(provider, 'scopes', scopes));
  if (hasAllowedIps != null) all.push(sql`${isEmptyList(provider, 'allowedIps')} = ${raw(String(!hasAllowedIps))}`);
  if (neverExpires != null) all.push(raw(`k."expiresAt" IS ${neverExpires ? '' : 'NOT '}NULL`));
  if (hasRateLimit != null) all.push(raw(`k."rateLimit" IS ${hasRateLimit ? 'NOT ' : ''}NULL`));
  if (violating != null) all.push(sql`${raw(violating.is ? '' : 'NOT ')}${violates(provider, violating.rules, now)}`);
  if (responsibleState != null) all.push(hasResponsibleIn(responsibleState, now));
  // Last, because it reads another table for each key that meets the other conditions.
  if (createdBy != null) all.push(sql`${creatorOf(provider)} = ${createdBy}`);
  return all;
}

/**
 * Parses the tags of a key once or twice, however many are selected. Only a key that has a tag in a spelling from before
 * tags were normalized is compared tag by tag.
 */
function hasTags(provider: DatabaseProvider, tags: readonly string[]): Sql {
  const spellings = tags.map(spellingsOf);
  const asWrittenNow = hasAll(provider, 'tags', [...new Set(spellings.flatMap(([first = '']) => first))]);
  const others = spellings.flatMap(([, ...more]) => more);
  if (others.length === 0) return asWrittenNow;
  const each = spellings.map((some) => {
    const anyOfSome = some.map((tag) => hasAll(provider, 'tags', [tag]));
    return sql`(${join(anyOfSome, ' OR ')})`;
  });
  return sql`(${asWrittenNow} OR (${hasAny(provider, others)} AND ${join(each, ' AND ')}))`;
}

function hasAny(provider: DatabaseProvider, tags: readonly string[]): Sql {
  const list = textsIn(provider, tags);
  return provider === 'postgresql'
    ? sql`EXISTS (SELECT 1 FROM (${list}) t(tag) WHERE k."tags" @> to_jsonb(tag))`
    : sql`EXISTS (SELECT 1 FROM json_each(k."tags") t WHERE t."value" IN (${list}))`;
}

/** Both lists have each tag once. */
function hasAll(provider: DatabaseProvider, column: 'tags' | 'scopes', texts: readonly string[]): Sql {
  const list = raw(`k."${column}"`);
  if (provider === 'postgresql') return sql`${list} @> ${JSON.stringify(texts)}::jsonb`;
  return sql`(SELECT COUNT(*) FROM json_each(${list}) t WHERE t."value" IN (${textsIn(provider, texts)})) = ${texts.length}`;
}

/** Selects the keys with an overlap whose `overlapEnd` (domain/secret/rotated-secret.ts) has not passed. */
function isRotating(now: Date): Sql {
  return sql`(${unrevoked} AND ${unexpired(now)} AND (
    COALESCE(k."previousExpiresAt" >= ${now}, FALSE)
    OR COALESCE(k."previousSigningExpiresAt" >= ${now}, FALSE) AND ${hasPreviousSigning}
  ))`;
}

function hasLeak(now: Date): Sql {
  return sql`EXISTS (SELECT 1 FROM "Exposure" e WHERE e."keyId" = k."id" AND ${isLeakOf(now)})`;
}

/**
 * The version of the secret of an exposure `e` of the key. A row without one, of an earlier version of Latchkey, counts as
 * the secret that was current when it was recorded.
 */
export const leakedVersion = raw(`COALESCE(e."version", (
  SELECT MIN(r."version") FROM "RotatedSecret" r WHERE r."keyId" = e."keyId" AND r."rotatedAt" > e."at"
), k."secretVersion")`);

/** Selects the exposures `e` of secrets that the key accepts, or would accept once it is enabled or renewed. */
export function isLeakOf(now: Date): Sql {
  return sql`(${unrevoked} AND (${leakedVersion} = k."secretVersion"
    OR k."previousExpiresAt" >= ${now} AND ${leakedVersion} = k."secretVersion" - 1))`;
}

/** Revoked keys are only REVOKED. Unrevoked keys that are disabled are only DISABLED, even if they have expired. */
function inStates({ states, now }: KeySelection): Sql[] {
  if (areAllUnrevokedOrNone(states)) return [];
  const conditionOf: Readonly<Record<KeyState, Sql>> = {
    ACTIVE: sql`(${enabled} AND ${unexpired(now)})`,
    EXPIRED: sql`(${enabled} AND k."expiresAt" < ${now})`,
    DISABLED: raw('k."disabledAt" IS NOT NULL'),
    REVOKED: revoked,
  };
  // The list (`listsOf`) has revoked keys only if REVOKED is selected.
  return [
    sql`(${join(
      [...new Set(states)].map((state) => conditionOf[state]),
      ' OR ',
    )})`,
  ];
}

/** The opposite of `hasPassed` in domain/moment.ts. */
function unexpired(now: Date): Sql {
  return sql`(k."expiresAt" IS NULL OR k."expiresAt" >= ${now})`;
}

const enabled = raw('k."disabledAt" IS NULL');
export const unrevoked = raw('k."revokedAt" IS NULL');
const revoked = raw('k."revokedAt" IS NOT NULL');
/** The keys that have a `previousSigningSecret` (domain/secret/rotated-secret.ts), in its overlap or after that. */
export const hasPreviousSigning = raw(`(k."signingEnvelope" IS NOT NULL AND k."previousSigningEnvelope" IS NOT NULL
  AND COALESCE(k."previousSigningVersion" = k."signingVersion" - 1, FALSE))`);

/** Returns the lists of a selection, each read by an index. Revoked keys can be many, so most orders separate them. */
export function listsOf({ teamId, states }: KeySelection, orderBy: IndexedOrder): readonly Sql[] {
  const ofTeam = sql`k."teamId" = ${teamId}`;
  const hasUnrevoked = states.some((state) => state !== 'REVOKED');
  const hasRevoked = states.includes('REVOKED');
  if (hasUnrevoked && hasRevoked && orderBy.field === 'CREATED_AT') return [ofTeam];
  return [
    ...(hasUnrevoked ? [sql`${ofTeam} AND ${unrevoked}`] : []),
    ...(hasRevoked ? [sql`${ofTeam} AND ${revoked}`] : []),
  ];
}

/** Returns the order within a range of `rangesAfter`. `table` is the name of the table with a dot. */
export function orderOf({ field, direction }: IndexedOrder, table = 'k.'): Sql {
  return raw(`${table}"${orderColumns[field]}" ${direction}, ${table}"id" ${direction}`);
}

/**
 * Selects the keys after a position (keyset pagination) as ranges of an index. A range begins at the position, however many
 * keys have the same value. Keys that never expire are in a separate range, because the databases sort nulls differently.
 */
export function rangesAfter({ field, direction }: IndexedOrder, after: KeyPosition | null): readonly Sql[] {
  const column = raw(`k."${orderColumns[field]}"`);
  const isAscending = direction === 'ASC';
  const comparison = raw(isAscending ? '>' : '<');
  const ranges = field === 'EXPIRES_AT' ? [sql`${column} IS NOT NULL`, sql`${column} IS NULL`] : [raw('TRUE')];
  if (!isAscending) ranges.reverse();
  if (after === null) return ranges;
  const { value, id } = after;
  const next = sql`k."id" ${comparison} ${id}`;
  const isInLast = (value === null) === isAscending || field !== 'EXPIRES_AT';
  const current =
    value === null ? sql`${column} IS NULL AND ${next}` : sql`(${column}, k."id") ${comparison} (${value}, ${id})`;
  return isInLast ? [current] : [current, ...ranges.slice(1)];
}

/** Returns SQL for the text size of a key in bytes. */
export function textBytes(provider: DatabaseProvider): Sql {
  return sizesOfTexts[provider];
}

function sizeOfTexts(provider: DatabaseProvider): Sql {
  const lengths = settingNames.flatMap((name) => {
    const [column, { kind }] = [`k."${name}"`, settings[name]];
    if (kind === 'list' || kind === 'object') return [sql`COALESCE(${jsonBytes(provider, column)}, 0)`];
    return kind === 'text' ? [raw(`COALESCE(octet_length(${column}), 0)`)] : [];
  });
  return sql`(octet_length(k."searchText") + ${join(lengths, ' + ')})`;
}

const sizesOfTexts = { sqlite: sizeOfTexts('sqlite'), postgresql: sizeOfTexts('postgresql') };

/** Returns SQL for the bytes of JSON as text. SQLite stores JSON as text, and knows its size without reading it. */
export function jsonBytes(provider: DatabaseProvider, column: string): Sql {
  return raw(`octet_length(${provider === 'sqlite' ? column : `CAST(${column} AS TEXT)`})`);
}
