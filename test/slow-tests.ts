/**
 * Tests of several processes, faults and packages that take long. `npm test` leaves them out; `npm run test:slow` runs
 * them, and `npm run test:all` everything.
 */
export const slowTests: readonly string[] = [
  'test/client/package.test.ts',
  'test/durability/*.test.ts',
  'test/faults/*.test.ts',
  'test/openapi/client.test.ts',
  'test/package.test.ts',
  'test/postgres-backup.test.ts',
  'test/recipes/*.test.ts',
  'test/rotation.test.ts',
  'test/soak-flatness.test.ts',
  'test/store/outage.test.ts',
  'test/store/replicas.test.ts',
  'test/torture.test.ts',
];
