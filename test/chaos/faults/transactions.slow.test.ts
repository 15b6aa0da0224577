/** A transaction that fails inside SQLite is rolled back, and does not block others. */
import { randomUUID } from 'node:crypto';
import Sqlite from 'better-sqlite3';
import { afterEach, expect, it, vi } from 'vitest';
import { createKey } from '../../../src/manage/change/create-key.ts';
import { both, callerOf, type RunningService, startService } from '../../support/service.ts';
import { flaws, readEvidence } from '../evidence.ts';

let running: RunningService | undefined;

afterEach(async () => {
  vi.restoreAllMocks();
  await running?.stop();
});

/** What SQLite says, and where, when it has no memory or its disk no longer answers. */
const failures: readonly Record<string, string>[] = [
  { BEGIN: 'SQLITE_NOMEM' },
  { COMMIT: 'SQLITE_NOMEM' },
  { COMMIT: 'SQLITE_IOERR_FSYNC' },
  { 'UPDATE `main`.`Revision`': 'SQLITE_IOERR_READ' },
  { 'INSERT INTO `main`.`AuditEntry`': 'SQLITE_FULL' },
  { 'INSERT INTO `main`.`AuditEntry`': 'SQLITE_IOERR_WRITE', ROLLBACK: 'SQLITE_NOMEM' },
];

it.each(failures)('a failure is UNAVAILABLE and leaves no trace; the next change is made: %j', async (failing) => {
  running = await startService('sqlite');
  const { management } = running.service;
  const teamId = randomUUID();
  const create = () => createKey(management, callerOf({ [teamId]: both }), { teamId, name: 'Name', env: 'live' });
  const { apiKey } = await create();
  const file = running.database.url.replace('file:', '');
  const before = await readEvidence(running.database.url);

  const left = failOnce(failing);
  await expect(create()).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: 'The store does not answer; try again shortly.',
  });
  expect([...left]).toEqual([]);
  expect(await readEvidence(running.database.url)).toEqual(before);
  // No lock is left: another process may write.
  const other = new Sqlite(file, { timeout: 0 });
  other.exec('BEGIN IMMEDIATE; ROLLBACK');
  other.close();

  const next = await create();
  await management.store.usage.add([
    { keyId: apiKey.id, teamId: apiKey.teamId, version: 1, hour: new Date(0), lastUsedAt: new Date(), counts: [] },
  ]);
  const after = await readEvidence(running.database.url);
  expect(after.keys.map(({ id }) => id).sort()).toEqual([apiKey.id, next.apiKey.id].sort());
  expect(flaws(after)).toEqual([]);
});

/**
 * The next statement that starts so fails instead of running, on whichever connection, whether it was prepared before or
 * not. Answers what is still to fail.
 */
function failOnce(failing: Readonly<Record<string, string>>): ReadonlySet<string> {
  const left = new Set(Object.keys(failing));
  const statements: Sqlite.Statement = Object.getPrototypeOf(new Sqlite(':memory:').prepare('SELECT 1'));
  const fail = ({ source }: Sqlite.Statement) => {
    const start = [...left].find((text) => source.startsWith(text));
    if (start === undefined) return;
    left.delete(start);
    throw new Sqlite.SqliteError('it fails', failing[start] ?? '');
  };
  const { run, all } = statements;
  vi.spyOn(statements, 'run').mockImplementation(function (this: Sqlite.Statement, ...parameters: unknown[]) {
    fail(this);
    return run.apply(this, parameters);
  });
  vi.spyOn(statements, 'all').mockImplementation(function (this: Sqlite.Statement, ...parameters: unknown[]) {
    fail(this);
    return all.apply(this, parameters);
  });
  return left;
}
