/** Merges rows, because a statement can't change a row twice. Sorts the rows, so that instances never deadlock. */
import { startOfDay } from '../../domain/moment.ts';
import type { VerdictCount } from '../../domain/verdict/verdict-code.ts';
import type { UsageRecord } from '../../wire/control-plane.ts';

type Used = Pick<UsageRecord, 'keyId' | 'teamId' | 'version'>;

export type HourRow = Used & Pick<UsageRecord, 'hour'> & VerdictCount;
export type LastUseRow = Used & { readonly lastUsedAt: Date };

/** Returns the counts of the records, one row per hour, verdict and name. */
export function hourRows(records: readonly UsageRecord[], nameOf: (used: Used) => string): HourRow[] {
  const rows = records.flatMap(({ keyId, teamId, version, hour, counts }) =>
    counts.map((count) => ({ keyId, teamId, version, hour, ...count })),
  );
  return mergeRows(
    rows,
    (row) => `${nameOf(row)} ${row.hour.getTime()} ${row.code}`,
    (sum, { count }) => ({ ...sum, count: sum.count + count }),
  );
}

/** Returns the counts of the records, one row per key and day. */
export function dayRows(records: readonly UsageRecord[]) {
  const rows = records.map(({ keyId, hour, counts }) => ({
    keyId,
    day: startOfDay(hour),
    count: counts.reduce((sum, { count }) => sum + count, 0),
  }));
  return mergeRows(
    rows.filter(({ count }) => count > 0),
    ({ keyId, day }) => `${keyId} ${day.getTime()}`,
    (sum, { count }) => ({ ...sum, count: sum.count + count }),
  );
}

/** Returns the last uses of the records, one row per name. */
export function lastUseRows(records: readonly UsageRecord[], nameOf: (used: Used) => string): LastUseRow[] {
  const rows = records.flatMap(({ keyId, teamId, version, lastUsedAt }) =>
    lastUsedAt === null ? [] : [{ keyId, teamId, version, lastUsedAt }],
  );
  return mergeRows(rows, nameOf, (latest, row) => (row.lastUsedAt > latest.lastUsedAt ? row : latest));
}

export function mergeRows<Row>(
  rows: readonly Row[],
  nameOf: (row: Row) => string,
  merge: (known: Row, row: Row) => Row,
): Row[] {
  const byName = new Map<string, Row>();
  for (const row of rows) {
    const name = nameOf(row);
    const known = byName.get(name);
    byName.set(name, known === undefined ? row : merge(known, row));
  }
  return [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}
