import { type BulkDialect, listParameter } from '../changes/bulk-rows.ts';
import type { PrismaClient } from '../generated/sqlite/client.ts';
import { queryStore } from '../unavailable.ts';

/** What a report about a key must agree with. */
export interface ReportedKey {
  readonly id: string;
  readonly teamId: string;
  readonly secretVersion: number;
  /** Null if the key has no rate limit. */
  readonly rateLimitWindowSeconds: number | null;
}

/** Returns the keys by id. Ids that are not of a key are absent. */
export async function readReportedKeys(
  reader: PrismaClient,
  dialect: BulkDialect,
  ids: readonly string[],
): Promise<Map<string, ReportedKey>> {
  const statement = `SELECT "id", "teamId", "secretVersion", "rateLimitWindowSeconds"
    FROM "ApiKey" WHERE "id" IN (${listParameter[dialect]})`;
  const keys = await queryStore(() => reader.$queryRawUnsafe<ReportedKey[]>(statement, JSON.stringify(ids)));
  return new Map(keys.map((key) => [key.id, { ...key, secretVersion: Number(key.secretVersion) }]));
}
