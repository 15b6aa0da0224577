import { chmodSync, rmSync, symlinkSync } from 'node:fs';
import { defineConfig, type Plugin } from 'rolldown';

const entries = [
  'main',
  'service/management',
  'service/verification',
  'service/processes/watchdog-thread',
  'cli/latchkey',
];

/** Lets `npx latchkey` run what is built here. */
const linkCommand: Plugin = {
  name: 'link-command',
  writeBundle: () => {
    chmodSync('dist/cli/latchkey.js', 0o755);
    rmSync('node_modules/.bin/latchkey', { force: true });
    symlinkSync('../../dist/cli/latchkey.js', 'node_modules/.bin/latchkey');
  },
};

/** The service and its command as a few files: Node.js starts three times as fast as with one file for each module. */
export default defineConfig({
  platform: 'node',
  input: Object.fromEntries(entries.map((entry) => [entry, `src/${entry}.ts`])),
  // Native code.
  external: ['better-sqlite3', 'pg-native'],
  plugins: [linkCommand],
  output: {
    dir: 'dist',
    format: 'esm',
    // As deep as the modules of src/lib, so that paths relative to `import.meta.url` hold in both.
    chunkFileNames: 'chunks/[name].js',
  },
});
