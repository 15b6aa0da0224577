/** The service of a run on its database, and when a killed service no longer uses it. */

import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Server } from '../../harness/server.ts';
import { query } from '../../support/postgres.ts';
import type { TemporaryDatabase } from '../../support/temporary-database.ts';
import { sqliteFile } from '../evidence.ts';

/** A service that is started on the same ports again and again: what a killed process leaves of them must not matter. */
export interface Place {
  readonly server: Server;
  readonly databaseUrl: string;
}

export async function placeFor({ url, directory }: Pick<TemporaryDatabase, 'url' | 'directory'>): Promise<Place> {
  const environment = { DATABASE_URL: url, MAX_KEYS_PER_TEAM: '1000000', LOG_LEVEL: 'warn', WORKERS: '1' };
  return { server: await Server.service({ directory, environment, keepLog: true }), databaseUrl: url };
}

const sessions = `SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND application_name LIKE $1 AND pid <> pg_backend_pid()`;
const sessionsTimeoutMs = 10_000;

export async function migrationHasBegun({ databaseUrl }: Place): Promise<boolean> {
  const file = sqliteFile(databaseUrl);
  return file === null ? (await query(databaseUrl, sessions, ['latchkey migrations'])).length > 0 : existsSync(file);
}

/** Records the current sessions. Returns a function that resolves when their statements have been done or dropped. */
export async function watchSessions({ databaseUrl }: Place): Promise<() => Promise<void>> {
  // What a killed process had not written to SQLite is lost.
  if (sqliteFile(databaseUrl) !== null) return async () => undefined;
  // A commit that was sent to PostgreSQL before the kill is still carried out: a session reads what has arrived, and only
  // then finds that the process has ended.
  const old = (await query(databaseUrl, sessions, ['latchkey%'])).map(({ pid }) => Number(pid));
  const left = () => query(databaseUrl, 'SELECT 1 FROM pg_stat_activity WHERE pid = ANY ($1)', [old]);
  return async () => {
    const deadline = performance.now() + sessionsTimeoutMs;
    while ((await left()).length > 0) {
      if (performance.now() > deadline) throw new Error('sessions of a killed service do not end');
      await pause(5);
    }
  };
}
