/**
 * Reads the keys and management keys of all teams for the events about times: in the order of their moments, or of their
 * ids.
 */
import { join, raw, type Sql, sqltag as sql } from '@prisma/client/runtime/client';
import type { Prisma, PrismaClient } from '../generated/sqlite/client.ts';
import { queryStore } from '../unavailable.ts';
import { hasPreviousSigning, unrevoked } from './key-selection.ts';

/**
 * The moments of a key: its expiry, and the ends of its overlaps by `overlapEnd` (domain/secret/rotated-secret.ts). Each
 * end has two names, for two indexes: an overlap that would outlast its key ends at the expiry. A management key has one.
 */
export type MomentName =
  | 'expiry'
  | 'keyOverlap'
  | 'keyOverlapAtExpiry'
  | 'signingOverlap'
  | 'signingOverlapAtExpiry'
  | 'managementKeyExpiry';

export interface MomentRange {
  readonly moment: MomentName;
  /** Omits earlier moments. At this time, omits keys up to `keyId`, or all keys if it is null. */
  readonly after: { readonly at: Date; readonly keyId: string | null };
  /** The last moment of the range. */
  readonly until: Date;
  readonly limit: number;
}

export interface KeyMoment {
  readonly id: string;
  readonly teamId: string;
  readonly name: string;
  readonly prefix: string;
  readonly at: Date;
  /** Whether the key has this moment. A revoked key has none, and a signing secret that is not accepted has none. */
  readonly counts: boolean;
}

export interface KeyUse {
  readonly id: string;
  readonly teamId: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly disabledAt: Date | null;
  readonly revokedAt: Date | null;
  /** Whether nobody is to use it. The type depends on the database. */
  readonly tripwire: boolean | number;
  /** When it was last verified with VALID; null if it never was. */
  readonly lastUsedAt: Date | null;
}

type Client = Pick<Prisma.TransactionClient, '$queryRaw'>;
type MomentRow = Omit<KeyMoment, 'counts'> & { readonly counts: number | bigint };

const outlasts = (end: string) => raw(`COALESCE(k."expiresAt" < k."${end}", FALSE)`);

interface Moment {
  /** Default: `ApiKey`. */
  readonly table?: 'ManagementKey';
  /** A column with an index. */
  readonly column: string;
  /** The unrevoked keys that have the moment at the time in this column. */
  readonly condition: Sql;
}

const moments: Readonly<Record<MomentName, Moment>> = {
  expiry: { column: 'expiresAt', condition: raw('TRUE') },
  keyOverlap: { column: 'previousExpiresAt', condition: sql`NOT ${outlasts('previousExpiresAt')}` },
  keyOverlapAtExpiry: { column: 'expiresAt', condition: outlasts('previousExpiresAt') },
  signingOverlap: {
    column: 'previousSigningExpiresAt',
    condition: sql`${hasPreviousSigning} AND NOT ${outlasts('previousSigningExpiresAt')}`,
  },
  signingOverlapAtExpiry: {
    column: 'expiresAt',
    condition: sql`${hasPreviousSigning} AND ${outlasts('previousSigningExpiresAt')}`,
  },
  managementKeyExpiry: { table: 'ManagementKey', column: 'expiresAt', condition: raw('TRUE') },
};

export class KeyMoments {
  readonly #reader: PrismaClient;
  readonly #slowReader: PrismaClient;

  constructor(reader: PrismaClient, slowReader = reader) {
    this.#reader = reader;
    this.#slowReader = slowReader;
  }

  /** Returns the first keys with a moment in a range, in the order of moment and id. */
  async list(range: MomentRange): Promise<KeyMoment[]> {
    return await queryStore(() => momentsIn(this.#reader, range));
  }

  /** Returns the first keys after an id, in the order of ids. Slow, because each row can be another read of the disk. */
  async uses(afterId: string, limit: number): Promise<KeyUse[]> {
    return await queryStore(() => readUses(this.#slowReader, sql`k."id" > ${afterId} ORDER BY k."id" LIMIT ${limit}`));
  }
}

export async function usesIn(client: Client, ids: readonly string[]): Promise<KeyUse[]> {
  return ids.length === 0 ? [] : await readUses(client, sql`k."id" IN (${join(ids)}) ORDER BY k."id"`);
}

/** Also returns keys that do not have the moment, so that a page of them does not look like the end of the range. */
export async function momentsIn(
  client: Client,
  { moment: name, after, until, limit }: MomentRange,
): Promise<KeyMoment[]> {
  const { table = 'ApiKey', column, condition } = moments[name];
  const moment = raw(`k."${column}"`);
  const isAfter =
    after.keyId === null ? sql`${moment} > ${after.at}` : sql`(${moment}, k."id") > (${after.at}, ${after.keyId})`;
  const rows = await client.$queryRaw<MomentRow[]>`
    SELECT k."id", k."teamId", k."name", k."prefix", ${moment} AS "at",
      CASE WHEN ${unrevoked} AND ${condition} THEN 1 ELSE 0 END AS "counts"
    FROM ${raw(`"${table}"`)} k WHERE ${isAfter} AND ${moment} <= ${until} ORDER BY ${moment}, k."id" LIMIT ${limit}`;
  return rows.map((row) => ({ ...row, counts: Number(row.counts) === 1 }));
}

async function readUses(client: Client, selection: Sql): Promise<KeyUse[]> {
  return await client.$queryRaw<KeyUse[]>`
    SELECT k."id", k."teamId", k."createdAt", k."expiresAt", k."disabledAt", k."revokedAt", k."tripwire", u."lastUsedAt"
    FROM "ApiKey" k LEFT JOIN "KeyUsage" u ON u."keyId" = k."id" WHERE ${selection}`;
}
