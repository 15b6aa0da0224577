/** Returns the text of postgresql.prisma, which is derived from schema.prisma, so that there is one data model. */
export function derivePostgresql(sqlite: string): string {
  return sqlite
    .replace(
      /^\/\/ The one data model[\s\S]*?\n\n/,
      '// Derived from schema.prisma by `npm run migration`. Do not edit.\n\n',
    )
    .replace('generated/sqlite"', 'generated/postgresql"')
    .replace('provider = "sqlite"', 'provider = "postgresql"');
}
