import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Tests that need neither a database nor a process: `npm run mutation` runs them for each mutant that they cover. */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, '../..'),
    include: ['test/domain/**/*.test.ts', 'test/engine/**/*.test.ts'],
    isolate: false,
    // A slow machine must not make a mutant look as if a test had noticed it.
    testTimeout: 60_000,
  },
});
