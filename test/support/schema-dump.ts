/** The schema of a database as statements, in the order of their creation: tables, indexes, functions and triggers. */
import Sqlite from 'better-sqlite3';
import { query } from './postgres.ts';
import { runSql } from './sql.ts';

/** The rows of each table that has some, without the migrations, and without the random secret of ids. */
export async function dumpRows(url: string): Promise<Record<string, unknown[]>> {
  const tables = (await dumpSchema(url)).flatMap((sql) => /^CREATE TABLE "(\w+)"/.exec(sql)?.[1] ?? []);
  const found: Record<string, unknown[]> = {};
  for (const table of tables) {
    const rows = await runSql(url, `SELECT * FROM "${table}" ORDER BY 1`);
    if (rows.length > 0) found[table] = rows.map(({ idSecret: _, ...row }) => row);
  }
  return found;
}

export async function dumpSchema(url: string): Promise<string[]> {
  return url.startsWith('file:') ? dumpSqlite(url.slice('file:'.length)) : await dumpPostgres(url);
}

function dumpSqlite(file: string): string[] {
  const sqlite = new Sqlite(file, { readonly: true });
  try {
    const select = `SELECT sql FROM sqlite_master
      WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' AND name <> '_prisma_migrations' ORDER BY rowid`;
    return sqlite.prepare<[], string>(select).pluck().all();
  } finally {
    sqlite.close();
  }
}

const ofSchema = `(SELECT oid FROM pg_namespace WHERE nspname = current_schema())`;
const statements = [
  `SELECT format('CREATE TYPE %I AS ENUM (%s)', t.typname,
      (SELECT string_agg(quote_literal(enumlabel), ', ' ORDER BY enumsortorder) FROM pg_enum WHERE enumtypid = t.oid)) AS sql
    FROM pg_type t WHERE t.typtype = 'e' AND t.typnamespace = ${ofSchema} ORDER BY t.oid`,
  `SELECT format(E'CREATE TABLE %I (\\n%s\\n)', c.relname, array_to_string(ARRAY(
      SELECT format('    %I %s%s%s%s', a.attname,
          CASE WHEN d.text LIKE 'nextval(%' THEN 'SERIAL' ELSE format_type(a.atttypid, a.atttypmod) END,
          CASE WHEN a.attcollation <> y.typcollation THEN format(' COLLATE %I', l.collname) ELSE '' END,
          CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END,
          CASE WHEN d.text IS NULL OR d.text LIKE 'nextval(%' THEN '' ELSE ' DEFAULT ' || d.text END)
        FROM pg_attribute a JOIN pg_type y ON y.oid = a.atttypid
        LEFT JOIN pg_collation l ON l.oid = a.attcollation
        LEFT JOIN (SELECT adrelid, adnum, pg_get_expr(adbin, adrelid) AS text FROM pg_attrdef) d
          ON d.adrelid = c.oid AND d.adnum = a.attnum
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum) || ARRAY(
      SELECT format('    CONSTRAINT %I %s', n.conname, pg_get_constraintdef(n.oid))
        FROM pg_constraint n WHERE n.conrelid = c.oid AND n.contype <> 'n' ORDER BY n.oid), E',\\n')) AS sql
    FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = ${ofSchema} AND c.relname <> '_prisma_migrations'
    ORDER BY c.oid`,
  `SELECT pg_get_indexdef(i.indexrelid) AS sql FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
    WHERE c.relnamespace = ${ofSchema} AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = i.indexrelid)
    ORDER BY i.indexrelid`,
  `SELECT pg_get_functiondef(p.oid) AS sql FROM pg_proc p WHERE p.pronamespace = ${ofSchema} ORDER BY p.oid`,
  `SELECT pg_get_triggerdef(t.oid) AS sql FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE c.relnamespace = ${ofSchema} AND NOT t.tgisinternal ORDER BY t.oid`,
];

async function dumpPostgres(url: string): Promise<string[]> {
  const found: string[] = [];
  for (const statement of statements) {
    const rows = await query(url, statement);
    found.push(
      ...rows.map(({ sql }) =>
        String(sql)
          .replaceAll(/\bpublic\./g, '')
          .trim(),
      ),
    );
  }
  return found;
}
