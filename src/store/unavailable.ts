import { LatchkeyError } from '../domain/errors.ts';
import { Prisma } from './generated/sqlite/client.ts';

/**
 * Prisma's codes for a store that can't be asked or does not answer in time: not reachable (P1001, P1002), timed out
 * (P1008), closed (P1017), no connection free (P2024), transaction not started or expired (P2028), conflict (P2034),
 * too many connections (P2037).
 */
const unavailableCodes = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2034', 'P2037']);

/** Of the raw errors of drivers: SQLite's for disk and lock, PostgreSQL's classes 53, 57 and 58, and the socket's. */
const unavailableDriverErrors =
  /SQLITE_(?:BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|NOMEM)|database or disk is full|disk I\/O error|unable to open database|readonly database|\b(?:ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)\b|\b5[378]\w{3}\b|Connection terminated|timeout exceeded when trying to connect|Query read timeout|shutting down|starting up|not accepting connections|Client has encountered a connection error/i;

export function isUnavailable(error: unknown): boolean {
  if (error instanceof Prisma.PrismaClientInitializationError) return true;
  if (error instanceof Prisma.PrismaClientKnownRequestError && unavailableCodes.has(error.code)) return true;
  return (
    error instanceof Error && unavailableDriverErrors.test(`${String(Reflect.get(error, 'code'))} ${error.message}`)
  );
}

/** Runs a call of the store; what means that the store can't be asked becomes UNAVAILABLE, the rest stays as it is. */
export async function askStore<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    throw new LatchkeyError('UNAVAILABLE', 'The store does not answer; try again shortly.', { cause: error });
  }
}
