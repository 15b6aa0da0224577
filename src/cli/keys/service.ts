/** Calls the service for the commands. */
import { setTimeout as pause } from 'node:timers/promises';
import type { FieldError } from '../../domain/errors.ts';
import type { LeakMatch } from '../../domain/leak.ts';
import type { MatchAnswer } from '../../leaks/matches.ts';
import { Failure, usageFailure } from '../failure.ts';
import { connection, verificationPort } from '../login/connection.ts';
import type { CliKeyFragment, KeyFilter, KeyOrder, TypedDocumentString } from './generated/graphql.ts';
import { listKeys } from './operations.ts';

const timeoutMs = 15_000;
/** Limits of the retries while the service is busy or temporarily unavailable. */
const retries = { maxAttempts: 8, minDelayMs: 500, maxDelayMs: 30_000, maxRetryAfterMs: 120_000 };

/** The fields of an error response (RFC 9457), for example from the wrong port. */
interface Problem {
  readonly code?: string;
  readonly detail?: string;
}

interface GraphQLAnswer<Result> extends Problem {
  readonly data?: Result | null;
  readonly errors?: readonly {
    readonly message: string;
    readonly extensions?: { readonly code?: string; readonly errors?: readonly FieldError[] };
  }[];
}

/** A management port and the session token for it. */
export interface Target {
  readonly url: string;
  readonly token: string;
}

/** Executes an operation on the management port. Throws Failure with the code of the service. */
export async function execute<Result, Variables>(
  operation: TypedDocumentString<Result, Variables>,
  variables: Variables,
): Promise<Result> {
  const { LATCHKEY_URL: url, LATCHKEY_TOKEN: token, profileName } = connection();
  if (token === undefined) {
    // The token is not an option of the command, because the process list shows options.
    throw usageFailure('NO_TOKEN', 'run latchkey login, or set LATCHKEY_TOKEN to a session token in the environment');
  }
  try {
    return await executeOn({ url, token }, operation, variables);
  } catch (error) {
    const isRejected = error instanceof Failure && error.code === 'UNAUTHENTICATED';
    if (!isRejected || profileName === null) throw error;
    throw new Failure(error.code, `${error.message} Log in again: latchkey login --profile ${profileName}`);
  }
}

/** Executes an operation at the given service. Throws Failure with the code of the service. */
export async function executeOn<Result, Variables>(
  target: Target,
  operation: TypedDocumentString<Result, Variables>,
  variables: Variables,
): Promise<Result> {
  const url = new URL('/graphql', target.url);
  const response = await post(url, JSON.stringify({ query: operation.toString(), variables }), target.token);
  const answer = (await response.json().catch(() => null)) as GraphQLAnswer<Result> | null;
  const [error] = answer?.errors ?? [];
  if (error !== undefined) {
    const { code = 'REJECTED', errors: fields = [] } = error.extensions ?? {};
    throw new Failure(code, error.message, { fields, retryAfterSeconds: retryAfterOf(response) });
  }
  if (answer?.data == null) throw failureOf(url, response, answer);
  return answer.data;
}

/** Executes an operation that may run twice, and retries while the service is busy or unavailable. */
export async function executeWithRetries<Result, Variables>(
  operation: TypedDocumentString<Result, Variables>,
  variables: Variables,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await execute(operation, variables);
    } catch (error) {
      if (!(error instanceof Failure) || !error.isTemporary || attempt === retries.maxAttempts) throw error;
      const retryAfterMs = (error.retryAfterSeconds ?? 0) * 1000;
      // The change budget of a team can be used up for an hour. An error is better than a silent wait.
      if (retryAfterMs > retries.maxRetryAfterMs) throw error;
      const delayMs = Math.min(retries.minDelayMs * 2 ** (attempt - 1), retries.maxDelayMs);
      await pause(Math.max(delayMs, retryAfterMs));
    }
  }
}

export const allStates = ['ACTIVE', 'EXPIRED', 'DISABLED', 'REVOKED'] as const;

/** The maximum numbers of keys (with all fields) and of audit entries per operation. */
export const keysPageSize = 150;
export const entriesPageSize = 400;

interface Page<T> {
  readonly nodes: readonly T[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null };
}

/** Reads pages only as far as the reader takes their entries. */
export async function* readPages<T>(readPage: (after: string | null) => Promise<Page<T>>): AsyncIterable<T> {
  let after: string | null = null;
  do {
    const { nodes, pageInfo }: Page<T> = await readPage(after);
    yield* nodes;
    after = pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null;
  } while (after !== null);
}

interface KeyList {
  readonly teamId: string;
  readonly filter: KeyFilter;
  readonly orderBy?: KeyOrder;
}

export function readKeys(run: typeof execute, list: KeyList): AsyncIterable<CliKeyFragment> {
  return readPages(async (after) => (await run(listKeys, { ...list, first: keysPageSize, after })).keys);
}

/** Returns the first entries, and whether there are more. */
export async function takeFirst<T>(entries: AsyncIterable<T>, limit = Number.POSITIVE_INFINITY) {
  const taken: T[] = [];
  for await (const entry of entries) {
    if (taken.length === limit) return { taken, hasMore: true };
    taken.push(entry);
  }
  return { taken, hasMore: false };
}

function retryAfterOf({ headers }: Response): number | undefined {
  const seconds = headers.get('retry-after');
  return seconds === null || !/^\d+$/.test(seconds) ? undefined : Number(seconds);
}

export interface Verdict {
  readonly valid: boolean;
  readonly code: string;
}

export async function verify(verification: object): Promise<Verdict> {
  const { LATCHKEY_VERIFY_URL, LATCHKEY_VERIFIER_TOKEN } = verificationPort();
  const url = new URL('/v1/verify', LATCHKEY_VERIFY_URL);
  const response = await post(url, JSON.stringify(verification), LATCHKEY_VERIFIER_TOKEN);
  const answer = (await response.json().catch(() => null)) as (Verdict & Problem) | null;
  if (typeof answer?.valid === 'boolean') return answer;
  throw failureOf(url, response, answer);
}

/** Reports leaked keys to the verification port. Throws Failure. */
export async function reportLeaks(matches: readonly LeakMatch[]): Promise<readonly MatchAnswer[]> {
  const { LATCHKEY_VERIFY_URL, LATCHKEY_VERIFIER_TOKEN } = verificationPort();
  const url = new URL('/v1/leaks', LATCHKEY_VERIFY_URL);
  const response = await post(url, JSON.stringify(matches), LATCHKEY_VERIFIER_TOKEN);
  const answer: unknown = await response.json().catch(() => null);
  if (response.ok && Array.isArray(answer)) return answer;
  throw failureOf(url, response, answer as Problem | null);
}

/** Returns the failure with the URL, because the URL may be wrong. */
function failureOf({ origin }: URL, response: Response, answer: Problem | null): Failure {
  const { code, detail } = answer ?? {};
  if (typeof code === 'string' && typeof detail === 'string') {
    return new Failure(code, `${origin}: ${detail}`, { retryAfterSeconds: retryAfterOf(response) });
  }
  return new Failure('NO_ANSWER', `${origin} answered ${response.status}, but not as Latchkey does`);
}

async function post(url: URL, body: string, token: string | undefined): Promise<Response> {
  const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  try {
    return await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...authorization },
      body,
      // The service sends no redirects. The body or the token would reach wherever one leads.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    throw new Failure('UNREACHABLE', `${url.origin} can't be reached: ${cause}`);
  }
}
