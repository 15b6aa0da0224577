/** Writes all migrations of a database as one, and keeps their SQL in one file. Run once, before the first release. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { query, startPostgres } from '../test/support/postgres.ts';
import { dumpSchema } from '../test/support/schema-dump.ts';
import { postgresDatabase, sqliteDatabase } from '../test/support/temporary-database.ts';

const name = process.argv[2] ?? '';
const postgres = await startPostgres();
for (const provider of ['sqlite', 'postgresql'] as const) {
  const directory = `prisma/migrations/${provider}`;
  const folders = readdirSync(directory, { withFileTypes: true })
    .filter((e) => e.isDirectory())
    .map((e) => e.name)
    .sort();
  const scripts = folders.map((folder) => ({
    folder,
    sql: readFileSync(`${directory}/${folder}/migration.sql`, 'utf8'),
  }));
  const database = provider === 'sqlite' ? await sqliteDatabase() : await postgresDatabase(postgres.url);
  if (provider === 'sqlite') {
    const sqlite = new Sqlite(database.url.slice('file:'.length));
    for (const { sql } of scripts) sqlite.exec(sql);
    sqlite.close();
  } else for (const { sql } of scripts) await query(database.url, sql);
  const schema = await dumpSchema(database.url);
  const seed = [
    `INSERT INTO "Revision" ("id", "current", "idSecret") VALUES (1, 0, ${provider === 'sqlite' ? 'lower(hex(randomblob(32)))' : "replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '')"})`,
    ...(await rowsOf(provider, database.url)),
  ];
  const init = `-- The schema of 0.2.0. Triggers are written by hand: they are not part of the data model.\n\n${schema.join(';\n\n')};\n\n-- The rows that every database has. 244 of the 256 bits of \`idSecret\` are random at least.\n${seed.join(';\n')};\n`;
  for (const { folder } of scripts) rmSync(`${directory}/${folder}`, { recursive: true });
  mkdirSync(`${directory}/${name}`);
  writeFileSync(`${directory}/${name}/migration.sql`, init);
  const old = scripts.map(({ folder, sql }) => `-- migration: ${folder}\n${sql}`).join('');
  writeFileSync(`${directory}/before-init.sql`, old);
  await database.remove();
}
await postgres.stop();

interface Row {
  readonly id: number;
  readonly holder: string;
  readonly beat: number;
}

async function rowsOf(provider: string, url: string): Promise<string[]> {
  const select = 'SELECT "id", "holder", "beat" FROM "EventWorker" ORDER BY "id"';
  const rows =
    provider === 'sqlite'
      ? (new Sqlite(url.slice(5)).prepare(select).all() as Row[])
      : ((await query(url, select)) as unknown as Row[]);
  return rows.map(
    (r) => `INSERT INTO "EventWorker" ("id", "holder", "beat") VALUES (${r.id}, '${r.holder}', ${r.beat})`,
  );
}
