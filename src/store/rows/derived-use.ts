/** How often tokens that were derived from keys were accepted, by their labels. */
import { otherLabels } from '../../domain/derived/derived-token.ts';
import { limits } from '../../domain/limits.ts';
import type { UsageRecord } from '../../wire/control-plane.ts';
import { type BulkRows, derivedUseTable } from '../changes/bulk-rows.ts';
import type { PrismaClient } from '../generated/sqlite/client.ts';
import { queryStore } from '../unavailable.ts';
import { mergeRows } from './usage-rows.ts';

export interface DerivedUse {
  readonly keyId: string;
  readonly label: string;
  readonly count: bigint;
  readonly lastUsedAt: Date;
}

/** Adds the uses with a label. Who holds a key chooses the labels, so only a few of each key are kept apart. */
export async function addDerivedUse(bulk: BulkRows, records: readonly UsageRecord[]): Promise<void> {
  const used = records.flatMap(rowsOf);
  if (used.length === 0) return;
  const keyIds = [...new Set(used.map(({ keyId }) => keyId))];
  const known = await bulk.transaction.derivedUse.findMany({
    where: { keyId: { in: keyIds } },
    select: { keyId: true, label: true },
  });
  const labels = new Map<string, Set<string>>();
  for (const { keyId, label } of known) labels.set(keyId, (labels.get(keyId) ?? new Set()).add(label));
  const kept = used.map((row) => {
    const ofKey = labels.get(row.keyId) ?? new Set();
    labels.set(row.keyId, ofKey);
    if (ofKey.has(row.label)) return row;
    if (ofKey.size >= limits.derivedLabels) return { ...row, label: otherLabels };
    ofKey.add(row.label);
    return row;
  });
  const rows = mergeRows(
    kept,
    ({ keyId, label }) => `${keyId} ${label}`,
    (sum, row) => ({
      ...sum,
      count: sum.count + row.count,
      lastUsedAt: row.lastUsedAt > sum.lastUsedAt ? row.lastUsedAt : sum.lastUsedAt,
    }),
  );
  await bulk.insert(derivedUseTable, rows);
}

function rowsOf({ keyId, label, lastUsedAt, counts }: UsageRecord): DerivedUse[] {
  const count = counts.find(({ code }) => code === 'VALID')?.count ?? 0;
  return label == null || lastUsedAt === null || count === 0
    ? []
    : [{ keyId, label, count: BigInt(count), lastUsedAt }];
}

/** Lists those of a key, the ones that were used last first. */
export async function readDerivedUse({ derivedUse }: Pick<PrismaClient, 'derivedUse'>, keyId: string) {
  const rows = await queryStore(() =>
    derivedUse.findMany({ where: { keyId }, orderBy: { lastUsedAt: 'desc' }, take: limits.derivedLabels + 1 }),
  );
  return rows satisfies DerivedUse[];
}
