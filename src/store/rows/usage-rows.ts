/**
 * The rows that usage records add to. Records of the same row are added up, because a statement can't change a row twice.
 * The order is fixed, so that instances never deadlock.
 */

import type { VerdictCode } from '../../domain/verdict/verdict-code.ts';
import type { UsageRecord } from '../../wire/control-plane.ts';

export interface HourRow {
  readonly keyId: string;
  readonly teamId: string;
  readonly version: number;
  readonly hour: Date;
  readonly code: VerdictCode;
  readonly count: number;
}

export interface LastUseRow {
  readonly keyId: string;
  readonly version: number;
  readonly lastUsedAt: Date;
}

/** Returns the counts of the records, one row for each of the names. */
export function hourRows(records: readonly UsageRecord[], nameOf: (record: UsageRecord) => string): HourRow[] {
  const rows = records.flatMap((record) => {
    const { keyId, teamId, version, hour } = record;
    const name = `${nameOf(record)} ${hour.getTime()}`;
    return record.counts.map(({ code, count }) => ({
      name: `${name} ${code}`,
      row: { keyId, teamId, version, hour, code, count },
    }));
  });
  return merged(rows, (sum, { count }) => ({ ...sum, count: sum.count + count }));
}

/** Returns the last uses of the records, one row for each of the names. */
export function lastUseRows(records: readonly UsageRecord[], nameOf: (record: UsageRecord) => string): LastUseRow[] {
  const rows = records.flatMap((record) => {
    const { keyId, version, lastUsedAt } = record;
    return lastUsedAt === null ? [] : [{ name: nameOf(record), row: { keyId, version, lastUsedAt } }];
  });
  return merged(rows, (latest, row) => (row.lastUsedAt > latest.lastUsedAt ? row : latest));
}

interface Named<Row> {
  readonly name: string;
  readonly row: Row;
}

function merged<Row>(rows: readonly Named<Row>[], merge: (known: Row, row: Row) => Row): Row[] {
  const byName = new Map<string, Row>();
  for (const { name, row } of rows) {
    const known = byName.get(name);
    byName.set(name, known === undefined ? row : merge(known, row));
  }
  return [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}
