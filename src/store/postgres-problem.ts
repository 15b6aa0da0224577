/** Why a PostgreSQL server can't be used, and what to do. */
import pg from 'pg';
import { codeOf, reasonOf } from '../lib/connection-problem.ts';
import { driverCause, isUnavailable } from './unavailable.ts';

/** The oldest major version that the tests run on. */
export const oldestTestedPostgres = 15;

/** What the operator does about an error: by SQLSTATE, by code of the operating system or OpenSSL, and by message. */
const fixes: readonly (readonly [pattern: RegExp, fix: string])[] = [
  [/password must be a string/, 'add the password of the user to the URL'],
  [/^28P01$|^SASL/, 'correct the user and the password'],
  [/no encryption$/, 'add sslmode=verify-full to the URL'],
  [/^role ".*" does not exist$/, 'create the user, or correct its name'],
  [/^28000$/, 'allow the user and this machine in pg_hba.conf'],
  [/^3D000$/, 'create the database, or correct its name'],
  [/^53300$/, 'raise max_connections, or close other connections'],
  [/^57P03$/, 'wait until the server has started'],
  [/^42501$/, 'grant CREATE and USAGE on the schema to the user'],
  [/^(?:53100|58030)$/, 'free some space on the disk of the server'],
  [/^ECONNREFUSED$/, 'start the server, or correct host and port'],
  [/^(?:ENOTFOUND|EAI_\w+)$/, 'correct the host name, or check DNS'],
  [/does not support SSL/, 'turn on TLS at the server, or remove sslmode from the URL'],
  [/CERT|SELF_SIGNED|^UNABLE_TO/, 'set sslrootcert in the URL to a file with the certificate of its authority'],
  [
    /^(?:ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$|timeout expired|due to connection timeout/,
    'check host, port and firewall',
  ],
];

/** Returns what is wrong and what to do; null for an error that is not about the server. Contains no password. */
export function postgresProblem(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { originalCode, originalMessage } = driverCause(error);
  const code = typeof originalCode === 'string' ? originalCode : (codeOf(error) ?? '');
  const reason = typeof originalMessage === 'string' ? originalMessage : reasonOf(error);
  const isFromServer = error instanceof pg.DatabaseError || /^[0-9A-Z]{5}$/.test(String(originalCode));
  const [, fix] = fixes.find(([pattern]) => pattern.test(code) || pattern.test(reason)) ?? [];
  if (fix === undefined && !isFromServer && !isUnavailable(error)) return null;
  const problem = isFromServer ? reason : `PostgreSQL can't be ${isUnavailable(error) ? 'reached' : 'used'}: ${reason}`;
  return fix === undefined ? problem : `${problem}: ${fix}`;
}

/** Returns a warning about a server that is older than what the tests run on; null for others. */
export function versionProblem(serverVersionNumber: number): string | null {
  const major = Math.floor(serverVersionNumber / 10_000);
  if (major >= oldestTestedPostgres) return null;
  return `PostgreSQL ${major} is older than ${oldestTestedPostgres}, the oldest that Latchkey is tested with: upgrade it`;
}
