/** Returns the data model of PostgreSQL, which the build derives from schema.prisma: a provider can't come from the environment. */
export function derivePostgresql(sqlite: string): string {
  return sqlite
    .replace('generated/sqlite"', 'generated/postgresql"')
    .replace('provider = "sqlite"', 'provider = "postgresql"');
}
