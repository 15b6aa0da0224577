import { defineConfig } from 'vitest/config';
import { oneDatabaseTests, slowTests } from './slow-tests.ts';
import fast from './vitest.config.ts';

export default defineConfig({
  ...fast,
  test: {
    ...fast.test,
    include: [...slowTests, ...oneDatabaseTests],
    exclude: [],
    env: { TEST_DATABASE: 'postgresql' },
    // One after the other, each in a process of its own: they start several processes, and some measure time.
    maxWorkers: 1,
    testTimeout: 120_000,
    hookTimeout: 180_000,
    isolate: true,
  },
});
