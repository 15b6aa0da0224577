/** Databases of versions before 0.2.0, as their migrations left them. */
import { randomUUID } from 'node:crypto';
import type { DatabaseProvider } from '../../src/lib/database-address.ts';
import { type Migration, readMigrations } from '../../src/store/migrations.ts';
import { runSql } from './sql.ts';

export const olderMigrations = (provider: DatabaseProvider): readonly Migration[] => readMigrations(provider).before();

/** Applies the first migrations, or those before the one of this name. */
export async function migrateAsBefore(provider: DatabaseProvider, url: string, until: number | string): Promise<void> {
  const all = olderMigrations(provider);
  const count = typeof until === 'number' ? until : all.findIndex(({ name }) => name.endsWith(until));
  if (count < 1) throw new Error(`there is no migration before ${until}`);
  await runSql(
    url,
    `CREATE TABLE "_prisma_migrations" ("id" TEXT PRIMARY KEY NOT NULL, "checksum" TEXT NOT NULL, "finished_at" TIMESTAMP,
      "migration_name" TEXT NOT NULL, "logs" TEXT, "rolled_back_at" TIMESTAMP,
      "started_at" TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, "applied_steps_count" INTEGER NOT NULL DEFAULT 0)`,
  );
  for (const { name, sql, checksum } of all.slice(0, count)) {
    await runSql(url, sql);
    await runSql(
      url,
      `INSERT INTO "_prisma_migrations" ("id", "checksum", "migration_name") VALUES ('${randomUUID()}', '${checksum}', '${name}')`,
    );
  }
}
