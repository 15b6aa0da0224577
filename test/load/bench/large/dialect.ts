/** What differs between the SQL of both databases where rows are generated. */
import type { BulkDialect } from '../../../../src/store/changes/bulk-rows.ts';

export interface Dialect {
  /** A table `n` with the whole numbers `i` of a range. */
  readonly numbers: (first: number, last: number) => string;
  /** Like `uuidOf`. */
  readonly uuid: (text: string) => string;
  /** A text in the form of a digest, which no secret has. */
  readonly digest: (text: string) => string;
  /** The stored form of a moment, given in milliseconds since the epoch. */
  readonly moment: (milliseconds: string) => string;
  readonly json: (text: string) => string;
  readonly enumOf: (type: string, text: string) => string;
}

export const dialects: Readonly<Record<BulkDialect, Dialect>> = {
  postgresql: {
    numbers: (first, last) => `generate_series(${first}::bigint, ${last}::bigint) AS n(i)`,
    uuid: (text) => `md5(${text})::uuid::text`,
    digest: (text) => `translate(rtrim(encode(sha256((${text})::bytea), 'base64'), '='), '+/', '-_')`,
    moment: (milliseconds) => `(to_timestamp((${milliseconds}) / 1000.0) AT TIME ZONE 'UTC')::timestamp(3)`,
    json: (text) => `(${text})::jsonb`,
    enumOf: (type, text) => `CAST(${text} AS "${type}")`,
  },
  sqlite: {
    numbers: (first, last) =>
      `(WITH RECURSIVE counter(i) AS (SELECT ${first} UNION ALL SELECT i + 1 FROM counter WHERE i < ${last})
        SELECT i FROM counter) AS n`,
    // The functions of `SqliteTarget`.
    uuid: (text) => `uuid_of(${text})`,
    digest: (text) => `digest_of(${text})`,
    moment: (milliseconds) => `strftime('%Y-%m-%dT%H:%M:%f+00:00', (${milliseconds}) / 1000.0, 'unixepoch')`,
    json: (text) => text,
    enumOf: (_, text) => text,
  },
};
