import { defineConfig } from 'vitest/config';
import { slowTests } from './slow-tests.ts';
import fast from './vitest.config.ts';

export default defineConfig({
  ...fast,
  // One after the other: each starts several processes, and some measure time.
  test: { ...fast.test, include: [...slowTests], exclude: [], maxWorkers: 1 },
});
