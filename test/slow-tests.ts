/**
 * Slow tests, of several processes, faults and packages. `npm test` leaves them out, `npm run test:slow` runs them, and
 * `npm run test:all` runs everything.
 */
export const slowTests: readonly string[] = [
  'test/client/package.test.ts',
  'test/durability/*.test.ts',
  'test/faults/*.test.ts',
  'test/instances.test.ts',
  'test/openapi/client.test.ts',
  'test/package.test.ts',
  'test/postgres-backup.test.ts',
  'test/recipes/*.test.ts',
  'test/rolling-upgrade.test.ts',
  'test/rotation.test.ts',
  'test/service/drain.test.ts',
  'test/service/processes.test.ts',
  'test/service/rate-limits.test.ts',
  'test/soak-flatness.test.ts',
  'test/store/outage.test.ts',
  'test/store/replicas.test.ts',
  'test/tools/backup.test.ts',
  'test/torture.test.ts',
];

/** Tests of rules above the store: `npm test` runs them on SQLite, `npm run test:slow` on PostgreSQL. */
export const oneDatabaseTests: readonly string[] = [
  'test/fuzz.test.ts',
  'test/gateway/authorize.test.ts',
  'test/gateway/in-flight.test.ts',
  'test/gateway/key-rate-limits.test.ts',
  'test/gateway/revoke-self.test.ts',
  'test/gateway/verify.test.ts',
  'test/graphql/filters.test.ts',
  'test/graphql/import-conflicts.test.ts',
  'test/graphql/import-keys.test.ts',
  'test/graphql/keys.test.ts',
  'test/graphql/lists.test.ts',
  'test/graphql/opaque-revisions.test.ts',
  'test/graphql/pages.test.ts',
  'test/graphql/revoke-keys.test.ts',
  'test/graphql/team-usage.test.ts',
  'test/manage/change-budget.test.ts',
  'test/manage/explain-signature.test.ts',
  'test/manage/explain-verification.test.ts',
  'test/manage/forged-cursors.test.ts',
  'test/readme.test.ts',
  'test/rest/idempotency.test.ts',
  'test/rest/if-match.test.ts',
  'test/rest/keys.test.ts',
  'test/tools/release-key.test.ts',
];
