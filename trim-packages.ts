/** Deletes the files of installed packages that Latchkey never reads, a quarter of `node_modules`. */
import { globSync, rmSync } from 'node:fs';

const neverRead = [
  // Prisma compiles queries for each database; the store uses SQLite and PostgreSQL.
  'node_modules/@prisma/client/runtime/*.{cockroachdb,mysql,sqlserver}.*',
  'node_modules/prisma/build/*.{cockroachdb,mysql,sqlserver}.*',
  // For compiling addons. Latchkey uses prebuilt ones.
  'node_modules/better-sqlite3/deps',
  'node_modules/node-linux-*/include',
  // Source maps.
  'node_modules/**/*.map',
];

for (const path of globSync(neverRead)) rmSync(path, { recursive: true, force: true });
