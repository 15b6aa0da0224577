import { join, raw, type Sql, sqltag as sql } from '@prisma/client/runtime/client';
import type { AuditAction, AuditEntry } from '../../domain/audit-entry.ts';
import type { DatabaseProvider } from '../../lib/database-address.ts';
import { auditTable } from '../changes/bulk-rows.ts';
import type { Prisma, PrismaClient } from '../generated/sqlite/client.ts';
import { queryStore } from '../unavailable.ts';
import { entryFromRow } from './audit-rows.ts';
import { byRevision, entriesOf, entryAction } from './entry-list.ts';
import { jsonBytes } from './key-selection.ts';

/** Entries of one team or of all, and the order in which they are read. It is by revision, because clocks differ. */
export interface AuditSelection {
  readonly teamId?: string | undefined;
  readonly keyId?: string | null | undefined;
  readonly actions?: readonly AuditAction[] | null | undefined;
  readonly actor?: string | null | undefined;
  readonly from?: Date | null | undefined;
  readonly to?: Date | null | undefined;
  readonly revisions?: readonly bigint[] | undefined;
  /** Default: newest first. */
  readonly oldestFirst?: boolean;
  /** Reads the entries that follow this revision in the order. */
  readonly after?: bigint | null | undefined;
  /** The revision of the last entry to read. */
  readonly last?: bigint | null | undefined;
}

export interface AuditListing extends AuditSelection {
  readonly limit: number;
}

/** The maximum number of entries that are compared with conditions for one page. */
export const maxScannedEntries = 5000;

const entryColumns = raw(auditTable.columns.map((column) => `"${column}"`).join(', '));
/** An entry without its texts, which can be long. */
export type EntryHead = Pick<AuditEntry, 'revision' | 'action' | 'keyId' | 'teamId' | 'at'>;

type Position = Pick<EntryHead, 'revision'>;

const position = sql`"revision"`;
const headColumns = sql`"revision", ${entryAction} AS "action", "keyId", "teamId", "at"`;

/** Returns the id of the call that wrote the entry with a revision, as a transaction sees it; null if there is none. */
export async function requestIdAt(
  { auditEntry }: Pick<Prisma.TransactionClient, 'auditEntry'>,
  revision: bigint,
): Promise<string | null> {
  const entry = await auditEntry.findUnique({ where: { revision }, select: { requestId: true } });
  return entry?.requestId ?? null;
}

export class AuditLog {
  readonly #reader: PrismaClient;
  readonly #provider: DatabaseProvider;

  constructor(reader: PrismaClient, provider: DatabaseProvider) {
    this.#reader = reader;
    this.#provider = provider;
  }

  async list(listing: AuditListing): Promise<AuditEntry[]> {
    const rows = await this.#select<Prisma.AuditEntryGetPayload<object>>(entryColumns, listing);
    return rows.map(entryFromRow);
  }

  async heads(listing: AuditListing): Promise<EntryHead[]> {
    return await this.#select<EntryHead>(headColumns, listing);
  }

  /** Returns the text size of each entry in bytes, without reading the texts. */
  async textBytes(listing: AuditListing): Promise<number[]> {
    const details = sql`COALESCE(${jsonBytes(this.#provider, '"details"')}, 0)`;
    const bytes = sql`octet_length("actor") + ${jsonBytes(this.#provider, '"changes"')} + ${details} AS "bytes"`;
    const rows = await this.#select<{ readonly bytes: number | bigint }>(bytes, listing);
    return rows.map((row) => Number(row.bytes));
  }

  async find(revisions: readonly bigint[]): Promise<AuditEntry[]> {
    return await this.list({ revisions, limit: revisions.length });
  }

  /** Returns the revision of the last change or entry of any team, committed at the time of the call. */
  async lastRevision(): Promise<bigint> {
    const { current } = await queryStore(() => this.#reader.revision.findUniqueOrThrow({ where: { id: 1 } }));
    return current;
  }

  /** Returns the revision of the team's last entry; 0 if there is none. */
  async lastRevisionOf(teamId: string): Promise<bigint> {
    const [last] = await this.#select<Position>(position, { teamId, limit: 1 });
    return last?.revision ?? 0n;
  }

  /** Returns the revision of the last entry to compare with conditions for one page; null if the log ends before. */
  async lastToScan({ teamId, keyId, oldestFirst = false, after }: AuditSelection): Promise<bigint | null> {
    const [last] = await this.#select<Position>(
      position,
      { teamId, keyId, oldestFirst, after, limit: 1 },
      maxScannedEntries - 1,
    );
    return last?.revision ?? null;
  }

  /**
   * Returns a revision before the first entry that was written at a time or later. Searches by halves, because the order
   * of times is that of revisions, except for the differences between the clocks of instances.
   */
  async revisionBefore(teamId: string, time: Date): Promise<bigint> {
    let first = 0n;
    let end = (await this.lastRevisionOf(teamId)) + 1n;
    while (first < end) {
      const middle = (first + end) / 2n;
      const [entry] = await this.heads({ teamId, oldestFirst: true, after: middle - 1n, limit: 1 });
      if (entry === undefined || entry.at >= time) end = middle;
      else first = entry.revision + 1n;
    }
    return first - 1n;
  }

  async #select<Row>(values: Sql, { limit, ...selection }: AuditListing, offset = 0): Promise<Row[]> {
    const { teamId, keyId, actions, actor, from, to, revisions, oldestFirst = false, after, last } = selection;
    if (revisions?.length === 0) return [];
    const [follows, until] = oldestFirst ? [raw('>'), raw('<=')] : [raw('<'), raw('>=')];
    const ofKey = keyId == null ? null : entriesOf(this.#provider, 'keyId', keyId);
    const ofTeam = teamId === undefined ? null : entriesOf(this.#provider, 'teamId', teamId);
    // A key has fewer entries than its team.
    const { oldestFirst: ascending, newestFirst: descending } = ofKey ?? ofTeam ?? byRevision;
    const conditions: Sql[] = [sql`TRUE`];
    if (ofTeam !== null) conditions.push(ofTeam.are);
    if (ofKey !== null) conditions.push(ofKey.are);
    if (actions != null) conditions.push(sql`${entryAction} IN (${join(actions)})`);
    if (actor != null) conditions.push(sql`"actor" = ${actor}`);
    if (from != null) conditions.push(sql`"at" >= ${from}`);
    if (to != null) conditions.push(sql`"at" < ${to}`);
    if (revisions !== undefined) conditions.push(sql`"revision" IN (${join(revisions)})`);
    if (after != null) conditions.push(sql`"revision" ${follows} ${after}`);
    if (last != null) conditions.push(sql`"revision" ${until} ${last}`);
    return await queryStore(
      () => this.#reader.$queryRaw<Row[]>`
        SELECT ${values} FROM "AuditEntry" a WHERE ${join(conditions, ' AND ')}
        ORDER BY ${oldestFirst ? ascending : descending} LIMIT ${limit} OFFSET ${offset}`,
    );
  }
}
