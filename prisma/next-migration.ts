/**
 * `npm run migration -- <name>` writes the next migration of both databases, offline: the difference between the data
 * model after all migrations, which it keeps beside them, and the current one. Read it before you commit it. A release has
 * one migration: before it, join what was made for it into one folder. `--check` writes nothing and exits with 1 if one is missing.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { startPostgres } from '../test/support/postgres.ts';
import { derivePostgresql } from './derive-postgresql.ts';
import { type Database, diffSchemas } from './schema-engine.ts';

const migrated = new URL('migrations/migrated.prisma', import.meta.url);
const current = withoutRelations(readFileSync(new URL('schema.prisma', import.meta.url), 'utf8'));
const models: Record<Database['provider'], (sqlite: string) => string> = {
  sqlite: (model) => model,
  postgresql: derivePostgresql,
};

async function nextMigration(database: Database, directory: string | null): Promise<boolean> {
  const { provider } = database;
  const migrations = new URL(`./migrations/${provider}/`, import.meta.url);
  const model = models[provider];
  const sql = await diffSchemas(database, model(readFileSync(migrated, 'utf8')), model(current));
  if (directory !== null && sql !== null) {
    mkdirSync(new URL(`${directory}/`, migrations), { recursive: true });
    writeFileSync(new URL(`${directory}/migration.sql`, migrations), sql);
    console.log(`prisma/migrations/${provider}/${directory}/migration.sql`);
  }
  return sql !== null;
}

/**
 * Removes relations, so that they become no foreign keys. With foreign keys, writing usage would check and lock the key's
 * row each time, although keys are never deleted. `relationMode = "prisma"` is no alternative: Prisma then reads the
 * affected rows before every update and delete of any model, and all rows before a delete with a limit.
 */
function withoutRelations(schema: string): string {
  const models = [...schema.matchAll(/^model (\w+) \{$/gm)].map(([, name]) => name).join('|');
  return schema.replace(new RegExp(`^ +\\w+ +(?:${models})\\b.*\\n`, 'gm'), '');
}

const [argument = ''] = process.argv.slice(2);
const check = argument === '--check';
if (!check && !/^[a-z][a-z0-9_]*$/.test(argument)) {
  console.error('usage: npm run migration -- <name of lower-case letters, digits and underscores>');
  process.exit(2);
}
const timestamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
const directory = check ? null : `${timestamp}_${argument}`;
const postgres = await startPostgres();
const pending = [
  await nextMigration({ provider: 'sqlite' }, directory),
  await nextMigration({ provider: 'postgresql', url: `${postgres.url}/postgres` }, directory),
];
await postgres.stop();
if (!check) writeFileSync(migrated, current);
if (check && pending.includes(true)) {
  console.error('the data model has changed: run `npm run migration -- <name>` and commit what it writes');
  process.exitCode = 1;
} else if (!pending.includes(true)) {
  console.log('the migrations are up to date with the data model');
}
