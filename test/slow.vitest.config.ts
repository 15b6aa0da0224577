import { globSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import fast from './vitest.config.ts';

/** Tests of rules above the store: `npm test` runs them on SQLite, `npm run test:slow` on PostgreSQL. */
const oneDatabaseTests = globSync('test/**/*.test.ts').filter((file) =>
  /describe\.each\(oneProvider\)|\btheProvider\b/.test(readFileSync(file, 'utf8')),
);

export default defineConfig({
  ...fast,
  test: {
    ...fast.test,
    include: ['test/**/*.slow.test.ts', ...oneDatabaseTests],
    exclude: [],
    env: { TEST_DATABASE: 'postgresql' },
    // One after the other, each in a process of its own: they start several processes, and some measure time.
    maxWorkers: 1,
    testTimeout: 600_000,
    hookTimeout: 600_000,
    isolate: true,
  },
});
