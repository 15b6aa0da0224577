import { defineConfig } from 'vitest/config';
import { SecurityClaims } from '../support/security-claims.ts';

/** `npm run test:browser`: the dashboard in a real browser, on a real server. */
export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/browser/**/*.browser.ts'],
    reporters: ['default', new SecurityClaims()],
    // Each has a browser and a server, and looks at how long things take.
    fileParallelism: false,
    // The machine can be slow at moments. A poll ends as soon as its condition holds.
    expect: { poll: { timeout: 15_000 } },
    testTimeout: 300_000,
    hookTimeout: 120_000,
  },
});
