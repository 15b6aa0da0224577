/** `npm run test:all` runs every test on every database that it is written for. */
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { oneDatabaseTests, slowTests } from './slow-tests.ts';

test('the tests that npm test runs on SQLite only are those that npm run test:slow repeats on PostgreSQL', () => {
  const onOneDatabase = globSync('test/**/*.test.ts').filter((file) =>
    readFileSync(file, 'utf8').includes(['describe.each', 'oneProvider'].join('(')),
  );
  expect(onOneDatabase.sort()).toEqual([...oneDatabaseTests].sort());
});

test('every slow test exists', () => {
  expect(slowTests.filter((pattern) => globSync(pattern).length === 0)).toEqual([]);
});
