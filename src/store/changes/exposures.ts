/** Reported leaks: records each once, and changes the keys in the same transaction. */
import type { StoredKey } from '../../domain/key/api-key.ts';
import { defaultLeakPolicy, type LeakPolicy } from '../../domain/leak.ts';
import type { Prisma, PrismaClient } from '../generated/sqlite/client.ts';
import { keyFromRow, rowFromKey } from '../rows/key-rows.ts';
import { queryStore } from '../unavailable.ts';
import { type BulkDialect, type BulkRows, exposureTable, listParameter } from './bulk-rows.ts';
import type { Write } from './change.ts';
import type { ChangeQueue } from './change-queue.ts';
import { appendEntries, type NewEntry, takeRevisions } from './log.ts';
import { updateKeys } from './written-rows.ts';

const turn = { holder: 'reports of leaks' };

/** The exposures of one key in a report. */
export interface ReportedKeyLeak {
  readonly keyId: string;
  /** The ids of its exposures. */
  readonly ids: readonly string[];
}

/** The state of a reported key, which does not change until the decision is written. */
export interface ExposedKey {
  readonly key: StoredKey;
  readonly policy: LeakPolicy;
  /** The ids that are not recorded yet, in the order of the report. At least one. */
  readonly newIds: readonly string[];
  /** The number of exposures that were recorded since the key has its current secret. */
  readonly recorded: number;
}

export interface ExposureDecision {
  /** The entry of each exposure to record. */
  readonly exposures: readonly { readonly id: string; readonly entry: NewEntry }[];
  /** The change of the key; undefined if it stays as it is. */
  readonly change: Write | undefined;
}

export type DecideExposure = (exposed: ExposedKey, revision: bigint) => ExposureDecision;

export class Exposures {
  readonly #reader: PrismaClient;
  readonly #dialect: BulkDialect;
  readonly #changes: ChangeQueue;

  constructor(reader: PrismaClient, dialect: BulkDialect, changes: ChangeQueue) {
    this.#reader = reader;
    this.#dialect = dialect;
    this.#changes = changes;
  }

  /**
   * Decides on each reported key that has new exposures, and writes the decisions in one transaction. Writes nothing if
   * every exposure is recorded. The caller has to wait for the lease afterwards.
   */
  async record(reported: readonly ReportedKeyLeak[], decide: DecideExposure): Promise<void> {
    const ids = reported.flatMap((leak) => leak.ids);
    const known = await queryStore(() => recordedOf(this.#reader, this.#dialect, ids));
    if (ids.every((id) => known.has(id))) return;
    await this.#changes.perform((_, bulk) => recordAll(bulk, reported, decide), turn);
  }
}

async function recordAll(bulk: BulkRows, reported: readonly ReportedKeyLeak[], decide: DecideExposure): Promise<void> {
  // One revision for each exposure, and one for the change of each key.
  const count = reported.reduce((sum, { ids }) => sum + ids.length + 1, 0);
  const before = await takeRevisions(bulk, count);
  const exposed = await loadExposed(bulk, reported);
  const entries: NewEntry[] = [];
  const exposures: Prisma.ExposureCreateManyInput[] = [];
  const rows = exposed.flatMap((state) => {
    const { exposures: decided, change } = decide(state, before);
    for (const { id, entry } of decided) {
      exposures.push({ id, keyId: entry.keyId, at: entry.at });
      entries.push(entry);
    }
    if (change === undefined) return [];
    if (change.audit !== undefined) entries.push(change.audit);
    return [rowFromKey(change.key, before + BigInt(entries.length))];
  });
  await updateKeys(bulk, rows);
  await bulk.insert(exposureTable, exposures);
  await appendEntries(bulk, before, entries);
}

async function loadExposed(
  { transaction, dialect }: BulkRows,
  reported: readonly ReportedKeyLeak[],
): Promise<readonly ExposedKey[]> {
  const keyIds = reported.map(({ keyId }) => keyId);
  const known = await recordedOf(
    transaction,
    dialect,
    reported.flatMap(({ ids }) => ids),
  );
  const keys = await transaction.apiKey.findMany({ where: { id: { in: keyIds } } });
  const teamId = { in: [...new Set(keys.map((key) => key.teamId))] };
  const policies = await transaction.leakPolicy.findMany({ where: { teamId } });
  const policyOf = new Map(policies.map(({ teamId, policy }) => [teamId, policy as LeakPolicy]));
  const counts = await countRecorded(transaction, dialect, keyIds);
  const byId = new Map(keys.map((row) => [row.id, row]));
  return reported.flatMap(({ keyId, ids }) => {
    const row = byId.get(keyId);
    const newIds = ids.filter((id) => !known.has(id));
    // The key may have been purged in the meantime.
    if (row === undefined || newIds.length === 0) return [];
    const policy = policyOf.get(row.teamId) ?? defaultLeakPolicy;
    return [{ key: keyFromRow(row), policy, newIds, recorded: counts.get(keyId) ?? 0 }];
  });
}

type Client = Pick<Prisma.TransactionClient, '$queryRawUnsafe'>;

async function recordedOf(client: Client, dialect: BulkDialect, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const statement = `SELECT "id" FROM "Exposure" WHERE "id" IN (${listParameter[dialect]})`;
  const rows = await client.$queryRawUnsafe<{ id: string }[]>(statement, JSON.stringify(ids));
  return new Set(rows.map(({ id }) => id));
}

/** Counts since the last rotation: what leaked before must not keep a leak of the new secret from being recorded. */
async function countRecorded(
  client: Client,
  dialect: BulkDialect,
  keyIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const statement = `SELECT e."keyId", COUNT(*) AS "count" FROM "Exposure" e JOIN "ApiKey" k ON k."id" = e."keyId"
    WHERE e."keyId" IN (${listParameter[dialect]}) AND (k."rotatedAt" IS NULL OR e."at" >= k."rotatedAt")
    GROUP BY e."keyId"`;
  const rows = await client.$queryRawUnsafe<{ keyId: string; count: number | bigint }[]>(
    statement,
    JSON.stringify(keyIds),
  );
  return new Map(rows.map(({ keyId, count }) => [keyId, Number(count)]));
}
