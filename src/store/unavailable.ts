import Sqlite from 'better-sqlite3';
import { LatchkeyError } from '../domain/errors.ts';
import { Prisma } from './generated/sqlite/client.ts';
import { NotPrimaryError } from './primary-server.ts';

/**
 * Prisma's codes for a store that can't be asked or does not answer in time: not reachable (P1001, P1002), timed out
 * (P1008), closed (P1017), no connection free (P2024), transaction not started or expired (P2028), conflict (P2034),
 * too many connections (P2037).
 */
const unavailableCodes = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2034', 'P2037']);

/**
 * Lock and disk, not the statement. By name, also with an extension (`SQLITE_IOERR_WRITE`): for a number, Prisma's
 * adapter has the generic 1 whatever the error is.
 */
const unavailableSqlite = /^SQLITE_(?:BUSY|LOCKED|NOMEM|READONLY|IOERR|FULL|CANTOPEN|PROTOCOL)(?:_|$)/;

/**
 * PostgreSQL's classes 08 connection, 53 out of resources, 57 operator's intervention, 58 system error; a read-only
 * transaction (25006), and a deadlock (40P01) with changes by hand.
 */
const unavailablePostgres = /^(?:08|53|57|58|25006|40P01)/;

/**
 * What node-postgres says without any code. Of a client that was closed: a transaction whose connection was given up may
 * have more to ask.
 */
const brokenConnection =
  /Connection terminated|timeout exceeded when trying to connect|timeout expired|connection error and is not queryable|Client was closed/;

/** The operating system's, of sockets and names: of these, Prisma's adapter knows but a few. */
const networkCodes = /^(?:ECONN|EPIPE$|ETIMEDOUT$|EHOST|ENET|EADDR|EAI_|ENOTFOUND$|EMFILE$|ENFILE$)/;

/** Of an error of a driver, as Prisma's adapters describe it. */
interface DriverCause {
  readonly originalCode?: unknown;
  readonly originalMessage?: unknown;
  readonly severity?: unknown;
}

export function isUnavailable(error: unknown): boolean {
  if (error instanceof Prisma.PrismaClientInitializationError || error instanceof NotPrimaryError) return true;
  if (error instanceof Prisma.PrismaClientKnownRequestError && unavailableCodes.has(error.code)) return true;
  const { originalCode, severity } = driverCause(error);
  const code = String(originalCode);
  if (unavailableSqlite.test(code) || unavailablePostgres.test(code)) return true;
  // FATAL and PANIC end the connection; a statement that is at fault itself is an ERROR.
  if (severity === 'FATAL' || severity === 'PANIC') return true;
  if (!(error instanceof Error)) return false;
  return brokenConnection.test(error.message) || ('code' in error && networkCodes.test(String(error.code)));
}

/** An error at the start, for whoever starts it: SQLite's own words don't say which file they are about. */
export function startProblem(error: unknown, file: string): unknown {
  const cause = error instanceof LatchkeyError ? error.cause : error;
  const { originalCode: code, originalMessage: message } = driverCause(cause);
  if (!unavailableSqlite.test(String(code))) return error;
  const hint = /^SQLITE_(?:FULL|IOERR|READONLY|CANTOPEN)/.test(String(code))
    ? '; is there space, and may it be written to?'
    : '';
  return new Error(`the database ${file} can't be used: ${message} (${code})${hint}`, { cause: error });
}

/** Whether another process has SQLite's lock: then nothing of the transaction is done. */
export function wasLockedOut(error: unknown): boolean {
  return error instanceof LatchkeyError && /^SQLITE_BUSY/.test(String(driverCause(error.cause).originalCode));
}

/** A statement that took longer than it may, and a transaction that was idle for longer than it may. */
const cancelledCodes: ReadonlySet<unknown> = new Set(['57014', '25P03']);

/** Whether PostgreSQL ended the transaction before its end: then nothing of it is done. */
export function wasCancelled(error: unknown): boolean {
  return error instanceof LatchkeyError && cancelledCodes.has(driverCause(error.cause).originalCode);
}

function driverCause(error: unknown): DriverCause {
  if (error instanceof Sqlite.SqliteError) return { originalCode: error.code, originalMessage: error.message };
  const meta = error instanceof Prisma.PrismaClientKnownRequestError ? error.meta : undefined;
  const driverError: unknown = meta?.driverAdapterError ?? error;
  const cause: unknown = driverError instanceof Error ? driverError.cause : undefined;
  return typeof cause === 'object' && cause !== null ? cause : {};
}

/** Runs a call of the store; what means that the store can't be asked becomes UNAVAILABLE, the rest stays as it is. */
export async function askStore<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    throw storeDoesNotAnswer(error);
  }
}

/** For a change, it does not tell whether it was done: the answer may be all that was lost. */
export function storeDoesNotAnswer(cause?: unknown): LatchkeyError {
  return new LatchkeyError('UNAVAILABLE', 'The store does not answer; try again shortly.', { cause });
}
