import { globSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { SecurityClaims } from './support/security-claims.ts';
import fast from './vitest.config.ts';

/** Tests of rules above the store: `npm test` runs them on SQLite, `npm run test:slow` on PostgreSQL. */
const oneDatabaseTests = globSync('test/**/*.test.ts').filter((file) =>
  /describe\.each\(oneProvider\)|\btheProvider\b/.test(readFileSync(file, 'utf8')),
);

const { reporters: _, ...shared } = fast.test ?? {};

export default defineConfig({
  test: {
    reporters: ['default', new SecurityClaims()],
    projects: [
      {
        ...fast,
        test: {
          ...shared,
          name: 'postgresql',
          include: oneDatabaseTests,
          env: { TEST_DATABASE: 'postgresql' },
          sequence: { groupOrder: 0 },
        },
      },
      {
        ...fast,
        test: {
          ...shared,
          name: 'slow',
          include: ['test/**/*.slow.test.ts'],
          exclude: [],
          // One after the other, each in a process of its own: they start several processes, and some measure time.
          maxWorkers: 1,
          isolate: true,
          testTimeout: 600_000,
          hookTimeout: 600_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
