/**
 * Writes postgresql.prisma from schema.prisma, so that there is one data model. `--check` writes nothing and exits 1 if
 * the file is outdated.
 */
import { readFileSync, writeFileSync } from 'node:fs';

export function derivePostgresql(sqlite: string): string {
  return sqlite
    .replace(
      /^\/\/ The one data model[\s\S]*?\n\n/,
      '// Derived from schema.prisma by `npm run schema`. Do not edit.\n\n',
    )
    .replace('generated/sqlite"', 'generated/postgresql"')
    .replace('provider = "sqlite"', 'provider = "postgresql"');
}

const source = new URL('./schema.prisma', import.meta.url);
const target = new URL('./postgresql.prisma', import.meta.url);

if (process.argv[1] === import.meta.filename) {
  const derived = derivePostgresql(readFileSync(source, 'utf8'));
  if (!process.argv.includes('--check')) {
    writeFileSync(target, derived);
  } else if (readFileSync(target, 'utf8') !== derived) {
    console.error('prisma/postgresql.prisma is outdated: run `npm run schema`');
    process.exitCode = 1;
  }
}
