import { defineConfig } from 'vitest/config';

/** Tests that need neither a database nor a process: `npm run mutation` runs them once for each mutant. */
export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/domain/**/*.test.ts', 'test/engine/**/*.test.ts'],
  },
});
