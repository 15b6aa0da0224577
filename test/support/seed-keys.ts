/** A database with many keys, written without the service. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { storedDate } from '../../src/store/json-rows.ts';
import { migrate } from '../../src/store/migrate.ts';

/**
 * Writes a database of `size` keys into the directory. Returns the teams, each of which has `keysPerTeam` of them. A key
 * has the prefix and digest that `secretOf` returns for its number; without one, no secret fits it.
 */
export async function seedKeys(
  directory: string,
  size: number,
  keysPerTeam: number,
  secretOf: (i: number) => { readonly prefix: string; readonly digest: string } | undefined = () => undefined,
): Promise<string[]> {
  const file = join(directory, 'latchkey.db');
  await migrate({ provider: 'sqlite', file });
  const sqlite = new Sqlite(file);
  const teams = Array.from({ length: size / keysPerTeam }, () => randomUUID());
  const insert = sqlite.prepare(
    `INSERT INTO "ApiKey" (id, teamId, name, env, prefix, digest, pepperId, allowedIps, createdAt, searchText, revision)
     VALUES (?, ?, ?, 'live', ?, ?, 'bench', '[]', ?, ?, ?)`,
  );
  const start = Date.parse('2026-01-01T00:00:00Z');
  sqlite.transaction(() => {
    for (let i = 0; i < size; i += 1) {
      const number = String(i).padStart(7, '0');
      const { prefix, digest } = secretOf(i) ?? { prefix: `lk_live_${i}`, digest: `digest ${i}` };
      const createdAt = storedDate(new Date(start + i * 10));
      const teamId = teams[i % teams.length];
      // As a key that is not in the form of version 0.1, which the upkeep would convert.
      const searchText = `\nkey ${number}\nkey ${number}\n${prefix}`;
      insert.run(randomUUID(), teamId, `Key ${number}`, prefix, digest, createdAt, searchText, i + 1);
    }
    sqlite.prepare('UPDATE "Revision" SET current = ?').run(size);
  })();
  sqlite.close();
  return teams;
}
