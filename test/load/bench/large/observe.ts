/** What explains the figures: which statements read how much, how large tables and indexes are, and who has the memory. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { PostgresServer } from '../../../support/postgres.ts';
import { query } from '../../../support/postgres.ts';
import { childrenOf, pssMb, sampleProcesses } from '../../../support/processes.ts';
import type { Side } from './side.ts';

export interface Statement {
  readonly calls: number;
  readonly meanMs: number;
  readonly meanPlanMs: number;
  /** Pages per call, of which `readPages` were not in the buffers of PostgreSQL. */
  readonly pages: number;
  readonly readPages: number;
  readonly sql: string;
  readonly plan: string | null;
}

const maxStatements = 8;

/** Needs `shared_preload_libraries = pg_stat_statements`. */
export async function startCountingStatements({ url }: PostgresServer): Promise<void> {
  await query(`${url}/postgres`, 'CREATE EXTENSION pg_stat_statements');
}

export async function forgetStatements({ url }: PostgresServer): Promise<void> {
  await query(`${url}/postgres`, 'SELECT pg_stat_statements_reset()');
}

/** Returns the statements of a database that took longest together. */
export async function statementsOf({ url }: PostgresServer, { address }: Side): Promise<readonly Statement[]> {
  if (address.provider === 'sqlite') return [];
  const name = new URL(address.url).pathname.slice(1);
  const statements = await query<Omit<Statement, 'plan'> & Record<string, unknown>>(
    `${url}/postgres`,
    `SELECT s.calls::float8 AS "calls", s.mean_exec_time AS "meanMs", s.mean_plan_time AS "meanPlanMs",
       (s.shared_blks_hit + s.shared_blks_read)::float8 / s.calls AS "pages",
       s.shared_blks_read::float8 / s.calls AS "readPages", s.query AS "sql"
     FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
     WHERE d.datname = $1 AND s.total_exec_time > 1 AND s.query ~ '^\\s*(SELECT|INSERT|UPDATE|DELETE|WITH)'
     ORDER BY s.total_exec_time DESC LIMIT $2`,
    [name, maxStatements],
  );
  return await Promise.all(statements.map(async (one) => ({ ...one, plan: await genericPlan(address.url, one.sql) })));
}

/** The plan for unknown parameters. Null if PostgreSQL can't derive their types from the text. */
async function genericPlan(url: string, sql: string): Promise<string | null> {
  try {
    const rows = await query<{ 'QUERY PLAN': string }>(url, `EXPLAIN (GENERIC_PLAN) ${sql}`);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  } catch {
    return null;
  }
}

/** Rows that sequential scans have read so far, by table. */
export async function scannedRows({ address }: Side): Promise<Readonly<Record<string, number>>> {
  if (address.provider === 'sqlite') return {};
  const rows = await query<{ table: string; rows: number }>(
    address.url,
    'SELECT relname AS "table", seq_tup_read::float8 AS "rows" FROM pg_stat_user_tables WHERE seq_tup_read > 0',
  );
  return Object.fromEntries(rows.map(({ table, rows: read }) => [table, read]));
}

export interface Relation {
  readonly name: string;
  readonly megabytes: number;
  /** Pages from the root of an index to a row's entry. */
  readonly depth: number | null;
}

/** The tables and indexes of more than a megabyte. */
export async function relationsOf({ address }: Side): Promise<readonly Relation[]> {
  if (address.provider === 'sqlite') return sqliteRelations(address.file);
  await query(address.url, 'CREATE EXTENSION IF NOT EXISTS pageinspect');
  return await query<Readonly<Relation> & Record<string, unknown>>(
    address.url,
    `SELECT c.relname AS "name", pg_relation_size(c.oid) / 1048576.0::float8 AS "megabytes",
       CASE WHEN a.amname = 'btree' THEN (SELECT m.level + 1 FROM bt_metap(quote_ident(c.relname)) m) END AS "depth"
     FROM pg_class c LEFT JOIN pg_am a ON a.oid = c.relam
     WHERE c.relkind IN ('r', 'i') AND c.relnamespace = current_schema()::regnamespace AND c.relpages > 128
     ORDER BY 2 DESC`,
  );
}

function sqliteRelations(file: string): readonly Relation[] {
  const sqlite = new Sqlite(file, { readonly: true });
  try {
    return sqlite
      .prepare<[], Relation>(
        `SELECT name, SUM(pgsize) / 1048576.0 AS megabytes, MAX(length(path) - length(replace(path, '/', ''))) AS depth
         FROM dbstat WHERE pagetype <> 'overflow' GROUP BY name HAVING SUM(pgsize) > 1048576 ORDER BY 2 DESC`,
      )
      .all();
  } finally {
    sqlite.close();
  }
}

export async function databaseMegabytes({ address }: Side): Promise<number> {
  if (address.provider === 'postgresql') {
    const [row] = await query(address.url, 'SELECT pg_database_size(current_database()) AS size');
    return Number(row?.size) / 1_048_576;
  }
  const sqlite = new Sqlite(address.file, { readonly: true });
  const [pages, size] = [sqlite.pragma('page_count', { simple: true }), sqlite.pragma('page_size', { simple: true })];
  sqlite.close();
  return (Number(pages) * Number(size)) / 1_048_576;
}

/** The resident memory of each process in MB. `anonymous`: of that, the heap and buffers. */
export function memoryOf({
  server,
}: Side): Readonly<Record<string, { readonly rss: number; readonly anonymous: number }>> {
  const { pid, management, verification } = server;
  const processes = { supervisor: [pid], management: [management], verification };
  return Object.fromEntries(
    Object.entries(processes).map(([name, pids]) => {
      const { rssMb, anonymousMb } = sampleProcesses(pids);
      return [name, { rss: rssMb, anonymous: anonymousMb }];
    }),
  );
}

/** All processes of the server of both databases, with each shared page counted once. */
export function postgresMegabytes({ directory }: PostgresServer): number {
  const [first = ''] = readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n');
  return pssMb([Number(first), ...childrenOf(Number(first))]);
}
