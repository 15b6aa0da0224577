/**
 * `npm run migration -- <name>` writes postgresql.prisma and the next migration of both databases, offline. A migration
 * is the difference between the data model after all migrations (kept next to them, in migrated.prisma) and the current
 * one. Read it before you commit it. `--check` writes nothing and exits with 1 if one of these files is outdated.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { startPostgres } from '../test/support/postgres.ts';
import { derivePostgresql } from './derive-postgresql.ts';
import { type Database, diffSchemas } from './schema-engine.ts';

const schemas: Record<Database['provider'], string> = { sqlite: 'schema.prisma', postgresql: 'postgresql.prisma' };

async function nextMigration(database: Database, directory: string | null): Promise<boolean> {
  const { provider } = database;
  const migrations = new URL(`./migrations/${provider}/`, import.meta.url);
  const migrated = new URL('migrated.prisma', migrations);
  const schema = withoutRelations(readFileSync(new URL(schemas[provider], import.meta.url), 'utf8'));
  const before = existsSync(migrated) ? readFileSync(migrated, 'utf8') : null;
  const sql = await diffSchemas(database, before, schema);
  if (directory !== null && sql !== null) {
    mkdirSync(new URL(`${directory}/`, migrations), { recursive: true });
    writeFileSync(new URL(`${directory}/migration.sql`, migrations), sql);
    console.log(`prisma/migrations/${provider}/${directory}/migration.sql`);
  }
  if (directory !== null) writeFileSync(migrated, schema);
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
const postgresql = new URL('postgresql.prisma', import.meta.url);
const derived = derivePostgresql(readFileSync(new URL('schema.prisma', import.meta.url), 'utf8'));
if (!check) writeFileSync(postgresql, derived);
else if (readFileSync(postgresql, 'utf8') !== derived) {
  console.error('prisma/postgresql.prisma is outdated: run `npm run migration -- <name>` and commit what it writes');
  process.exit(1);
}
const postgres = await startPostgres();
const pending = [
  await nextMigration({ provider: 'sqlite' }, directory),
  await nextMigration({ provider: 'postgresql', url: `${postgres.url}/postgres` }, directory),
];
await postgres.stop();
if (check && pending.includes(true)) {
  console.error('the data model has changed: run `npm run migration -- <name>` and commit what it writes');
  process.exitCode = 1;
} else if (!pending.includes(true)) {
  console.log('the migrations are up to date with the data model');
}
