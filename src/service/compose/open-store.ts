/** Opens the store at startup, and retries while PostgreSQL can't be reached. Its errors name the variable to check. */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Configuration } from '../../config/configuration.ts';
import { LatchkeyError } from '../../domain/errors.ts';
import { reasonOf } from '../../lib/connection-problem.ts';
import { fileProblem } from '../../lib/file-problem.ts';
import { postgresProblem } from '../../store/postgres-problem.ts';
import { UnusableServerError } from '../../store/postgres-session.ts';
import { Store } from '../../store/store.ts';
import { isUnavailable, startProblem } from '../../store/unavailable.ts';

type StoreConfiguration = Pick<Configuration, 'DATABASE_URL' | 'DATA_DIR'>;

/** How long the service waits at startup for PostgreSQL to start or to fail over. */
const connectTimeoutMs = 30_000;
const retryIntervalMs = 500;

export async function openStore(
  configuration: StoreConfiguration,
  log: Pick<Logger, 'warn'>,
  timeoutMs = connectTimeoutMs,
): Promise<Store> {
  const address = configuration.DATABASE_URL;
  const deadline = performance.now() + timeoutMs;
  for (let tries = 1; ; tries += 1) {
    try {
      return await Store.open(address);
    } catch (error) {
      // Waiting does not turn a standby into the primary.
      const mayAnswer = isUnavailable(error) && !(error instanceof UnusableServerError);
      if (address.provider !== 'postgresql' || !mayAnswer || performance.now() > deadline)
        throw storeProblem(configuration, error);
      if (tries === 1) log.warn({ problem: reasonOf(error), timeoutMs }, 'PostgreSQL does not answer; trying again');
      await pause(retryIntervalMs);
    }
  }
}

/** Adds the name of the variable to errors about the store's location. Returns other errors unchanged. */
export function storeProblem({ DATABASE_URL: address, DATA_DIR }: StoreConfiguration, error: unknown): unknown {
  if (address.provider === 'postgresql') {
    if (error instanceof UnusableServerError) return named('DATABASE_URL', error.message, error);
    const cause = error instanceof LatchkeyError && error.cause !== undefined ? error.cause : error;
    const problem = postgresProblem(cause);
    return problem === null ? error : named('DATABASE_URL', problem, error);
  }
  const { file } = address;
  const variable = file === join(DATA_DIR, 'latchkey.db') ? 'DATA_DIR' : 'DATABASE_URL';
  const problem = startProblem(error, file);
  if (problem !== error && problem instanceof Error) return named(variable, problem.message, error);
  if (!hasCode(error) || !('syscall' in error)) return error;
  return named(variable, `the database ${file} can't be created: ${fileProblem(error)}`, error);
}

function named(variable: string, message: string, cause: unknown): Error {
  return new Error(`${variable}: ${message}`, { cause });
}

function hasCode(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && error.name !== 'LatchkeyError' && 'code' in error && typeof error.code === 'string';
}
