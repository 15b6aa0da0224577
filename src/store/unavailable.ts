import Sqlite from 'better-sqlite3';
import { LatchkeyError } from '../domain/errors.ts';
import { Prisma } from './generated/sqlite/client.ts';
import { NotPrimaryError } from './postgres-session.ts';
import { storeDoesNotAnswer } from './store-does-not-answer.ts';

/**
 * Prisma's codes: not reachable (P1001, P1002), timed out (P1008), closed (P1017), no connection free (P2024),
 * transaction not started or expired (P2028), conflict (P2034), too many connections (P2037).
 */
const unavailableCodes = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2034', 'P2037']);

/** SQLite's errors of locks and disks, by name: Prisma's adapter reports the number 1 for every error. */
const unavailableSqlite = /^SQLITE_(?:BUSY|LOCKED|NOMEM|READONLY|IOERR|FULL|CANTOPEN|PROTOCOL)(?:_|$)/;

/**
 * SQLSTATE classes: connection 08, sign-in 28, resources 53, operator 57, system 58; missing database 3D000, read-only 25006,
 * timeouts of transactions 25P03 and 25P04, conflicts 40001 and 40P01, no connections allowed 55000, and a lock 55P03.
 */
const unavailablePostgres = /^(?:08|28|53|57|58|3D000|25006|25P0[34]|40001|40P01|55000|55P03)/;

/** Messages of node-postgres errors without a code, also for queries after the connection was closed. */
const brokenConnection =
  /Connection terminated|Query read timeout|timeout exceeded when trying to connect|timeout expired|connection error and is not queryable|Client was closed/;

/** Codes of the operating system for sockets and host names. Prisma's adapter knows only a few of them. */
const networkCodes = /^(?:ECONN|EPIPE$|ETIMEDOUT$|EHOST|ENET|EADDR|EAI_|ENOTFOUND$|EMFILE$|ENFILE$)/;

/** What Prisma's adapters report for raw statements in place of a network error. */
const unavailableKinds: ReadonlySet<unknown> = new Set(['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout']);

interface DriverCause {
  readonly kind?: unknown;
  readonly originalCode?: unknown;
  readonly originalMessage?: unknown;
  readonly severity?: unknown;
}

export function isUnavailable(error: unknown): boolean {
  if (error instanceof Prisma.PrismaClientInitializationError || error instanceof NotPrimaryError) return true;
  if (error instanceof Prisma.PrismaClientKnownRequestError && unavailableCodes.has(error.code)) return true;
  const { kind, originalCode, severity } = driverCause(error);
  const code = String(originalCode);
  if (unavailableKinds.has(kind) || unavailableSqlite.test(code) || unavailablePostgres.test(code)) return true;
  // FATAL and PANIC end the connection, but a server may translate them. A faulty statement has the severity ERROR.
  if (severity === 'FATAL' || severity === 'PANIC') return true;
  if (!(error instanceof Error)) return false;
  return brokenConnection.test(error.message) || ('code' in error && networkCodes.test(String(error.code)));
}

/** Describes an error at startup with the name of the file, which SQLite's own message lacks. */
export function startProblem(error: unknown, file: string): unknown {
  const cause = error instanceof LatchkeyError ? error.cause : error;
  const { originalCode: code, originalMessage: message } = driverCause(cause);
  const isDamaged = /^SQLITE_(?:NOTADB|CORRUPT)/.test(String(code));
  if (!isDamaged && !unavailableSqlite.test(String(code))) return error;
  const hint = /^SQLITE_(?:FULL|IOERR|READONLY|CANTOPEN)/.test(String(code))
    ? '; is there space, and may it be written to?'
    : isDamaged
      ? '; restore it from a backup, or set another path'
      : '';
  return new Error(`the database ${file} can't be used: ${message} (${code})${hint}`, { cause: error });
}

/** Returns whether another process had SQLite's lock. In this case, the transaction was not applied. */
export function wasLockedOut(error: unknown): boolean {
  return error instanceof LatchkeyError && /^SQLITE_BUSY/.test(String(driverCause(error.cause).originalCode));
}

/** Errors of the disk: full (53100), faulty (58030), or a read-only database. */
const notWritableCodes = /^(?:SQLITE_(?:FULL|IOERR|READONLY|CANTOPEN)|53100|58030|25006)/;

/** Returns whether the disk rejected the write. Reads may still work. */
export function wasNotWritable(error: unknown): boolean {
  return error instanceof LatchkeyError && notWritableCodes.test(String(driverCause(error.cause).originalCode));
}

/** PostgreSQL's codes for timeouts of a statement, an idle transaction, a transaction and a lock, and for a conflict. */
const cancelledCodes: ReadonlySet<unknown> = new Set(['57014', '25P03', '25P04', '55P03', '40001']);

/** Returns whether PostgreSQL canceled the transaction. In this case, it was not applied. */
export function wasCancelled(error: unknown): boolean {
  return error instanceof LatchkeyError && cancelledCodes.has(driverCause(error.cause).originalCode);
}

/** Returns the driver's own error behind one of Prisma's. */
export function driverCause(error: unknown): DriverCause {
  if (error instanceof Sqlite.SqliteError) return { originalCode: error.code, originalMessage: error.message };
  const meta = error instanceof Prisma.PrismaClientKnownRequestError ? error.meta : undefined;
  const driverError: unknown = meta?.driverAdapterError ?? error;
  const cause: unknown = driverError instanceof Error ? driverError.cause : undefined;
  return typeof cause === 'object' && cause !== null ? cause : {};
}

/** Runs a call of the store. Turns errors of an unavailable store into UNAVAILABLE, and rethrows other errors. */
export async function queryStore<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    throw storeDoesNotAnswer(error);
  }
}
