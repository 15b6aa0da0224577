/** Generates Prisma's clients for both databases. Prints what Prisma prints only if it fails. */
import { spawnSync } from 'node:child_process';

for (const schema of ['schema', 'postgresql']) {
  const args = ['generate', '--config', 'prisma/prisma.config.ts', '--schema', `prisma/${schema}.prisma`];
  const { error, status, stdout, stderr } = spawnSync('prisma', args, { encoding: 'utf8' });
  if (error !== undefined) throw error;
  if (status === 0) continue;
  process.stderr.write(stdout + stderr);
  process.exit(1);
}
