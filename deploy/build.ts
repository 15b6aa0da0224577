/** `npm run build`, and `npm ci` through `prepare`: generates Prisma's clients, bundles the service and the dashboard. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { derivePostgresql } from '../prisma/derive-postgresql.ts';

process.chdir(join(import.meta.dirname, '..'));

if (!existsSync('node_modules/rolldown')) {
  // With NODE_ENV=production too, npm leaves out devDependencies. Not even an earlier build is used: it could be of an
  // older version than the migrations beside it.
  console.error('Latchkey is built here, which needs devDependencies: run npm ci --include=dev.');
  process.exit(1);
}

writeFileSync('prisma/postgresql.prisma', derivePostgresql(readFileSync('prisma/schema.prisma', 'utf8')));
for (const args of [
  ['prisma', 'generate', '--config', 'prisma/prisma.config.ts', '--schema', 'prisma/schema.prisma'],
  ['prisma', 'generate', '--config', 'prisma/prisma.config.ts', '--schema', 'prisma/postgresql.prisma'],
  ['rolldown', '--config', 'deploy/rolldown.config.ts'],
  ['vite', 'build', '--config', 'src/dashboard/vite.config.ts', '--logLevel', 'warn'],
])
  run(args);

/** Prints what a command prints only if it fails, or what it warns of. */
function run([command = '', ...args]: readonly string[]): void {
  const { error, status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (error !== undefined) throw error;
  if (status === 0) return;
  process.stderr.write(stdout + stderr);
  process.exit(1);
}
