import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { SecurityClaims } from '../support/security-claims.ts';

/** Measures how long the page is busy, so it runs alone. */
const timed = ['test/browser/many-keys.browser.ts'];

const shared = {
  root: join(import.meta.dirname, '../..'),
  globalSetup: ['test/browser/support/shared-service.ts'],
  // Each worker has one browser for all its files. A file must not mock modules.
  isolate: false,
  // The machine can be slow for a while. A poll ends as soon as its condition holds.
  expect: { poll: { timeout: 60_000 } },
  testTimeout: 300_000,
  hookTimeout: 120_000,
};

/** `npm run test:browser`: the dashboard in a real browser, on a real server. */
export default defineConfig({
  test: {
    reporters: ['default', new SecurityClaims()],
    projects: [
      {
        test: {
          ...shared,
          name: 'pages',
          include: ['test/browser/**/*.browser.ts'],
          exclude: timed,
          // A test mostly waits: for its page, or for the service.
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      { test: { ...shared, name: 'timed', include: timed, maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
  },
});
