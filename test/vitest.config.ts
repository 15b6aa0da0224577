import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { SecurityClaims } from './support/security-claims.ts';

export default defineConfig({
  // Vite would take graphql's ES modules and Apollo its CommonJS ones: two copies, whose types don't know each other.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    root: join(import.meta.dirname, '..'),
    include: ['test/**/*.test.ts'],
    exclude: ['**/*.slow.test.ts'],
    // Most tests wait for databases and processes, not for a processor.
    maxWorkers: 3,
    // Each worker loads a module once for all its files, which halves the processor time. A file must not mock modules.
    isolate: false,
    reporters: ['default', new SecurityClaims()],
    globalSetup: ['test/support/postgres-for-all.ts'],
    // The machine can be slow at moments. A poll ends as soon as its condition holds.
    expect: { poll: { timeout: 45_000 } },
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
