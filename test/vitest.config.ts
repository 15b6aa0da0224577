/**
 * `npm test` runs the project `core`, and `npm run test:slow` the others. Without `--project`, a file runs in each project
 * that includes it.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { SecurityClaims } from './support/security-claims.ts';

/** What the service decides, stores and answers. */
const coreFiles = [
  'test/{admission,auth,config,domain,engine,gateway,graphql,http,lib,manage,rest,store,usage,verify}/**/*.test.ts',
  'test/{architecture,document-tables,documents,security}.test.ts',
];

/** Programs, faults, measured times and large databases. */
const slowFiles = 'test/**/*.slow.test.ts';
/** Of these, those that measure time, pause processes, fill disks or change the network. */
const aloneFiles = [
  'test/chaos/**/*.slow.test.ts',
  'test/recipes/systemd.slow.test.ts',
  'test/service/{drain,processes,rate-limits}.slow.test.ts',
  'test/store/outage.slow.test.ts',
];
/** They need PostgreSQL. */
const postgresqlFiles = 'test/**/*.postgresql.test.ts';

const files = globSync('test/**/*.test.ts', { exclude: [slowFiles, postgresqlFiles] });
const filesWith = (pattern: RegExp) => files.filter((file) => pattern.test(readFileSync(file, 'utf8')));
/** They start processes, most of them those that are built in `dist`. */
const filesWithProcesses = filesWith(/'node:child_process'|\b(?:startBuilt|startInstance|runCommand|runAtTerminal)\b/);
const filesWithDatabase = filesWith(/\b(?:providers|theProvider)\b[^}]*\} from '[./]+support\/databases\.ts'/);
const core = globSync(coreFiles).filter((file) => files.includes(file) && !filesWithProcesses.includes(file));

const test = {
  root: join(import.meta.dirname, '..'),
  // Most tests wait for databases and processes, not for a processor.
  maxWorkers: 3,
  // Each worker loads a module once for all its files, which halves the processor time. A file must not mock modules.
  isolate: false,
  // The machine can be slow at moments. A poll ends as soon as its condition holds.
  expect: { poll: { timeout: 45_000 } },
  testTimeout: 240_000,
  hookTimeout: 240_000,
};
const shared = {
  // Vite would take graphql's ES modules and Apollo its CommonJS ones: two copies, whose types don't know each other.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
};
const globalSetup = ['test/support/postgres-for-all.ts'];
const slow = {
  ...test,
  globalSetup,
  // Each in a process of its own: they start several processes.
  isolate: true,
  maxWorkers: 2,
  testTimeout: 600_000,
  hookTimeout: 600_000,
};

export default defineConfig({
  test: {
    reporters: ['default', new SecurityClaims()],
    projects: [
      {
        ...shared,
        test: {
          ...test,
          name: 'core',
          include: core,
          env: { TEST_DATABASE: 'sqlite' },
          sequence: { groupOrder: 0 },
        },
      },
      {
        ...shared,
        test: {
          ...test,
          name: 'programs',
          include: files.filter((file) => !core.includes(file)),
          env: { TEST_DATABASE: 'sqlite' },
          sequence: { groupOrder: 1 },
        },
      },
      {
        ...shared,
        test: {
          ...test,
          name: 'postgresql',
          include: [...filesWithDatabase, postgresqlFiles],
          globalSetup,
          env: { TEST_DATABASE: 'postgresql' },
          sequence: { groupOrder: 2 },
        },
      },
      {
        ...shared,
        test: { ...slow, name: 'slow', include: [slowFiles], exclude: aloneFiles, sequence: { groupOrder: 3 } },
      },
      {
        ...shared,
        test: { ...slow, name: 'alone', include: aloneFiles, maxWorkers: 1, sequence: { groupOrder: 4 } },
      },
    ],
  },
});
