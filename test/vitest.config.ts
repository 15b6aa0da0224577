import { defineConfig } from 'vitest/config';
import { SecurityClaims } from './support/security-claims.ts';

export default defineConfig({
  // Vite would take graphql's ES modules and Apollo its CommonJS ones: two copies, whose types don't know each other.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    reporters: ['default', new SecurityClaims()],
    globalSetup: ['test/support/postgres-for-all.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
