/** Calls the service for the commands. */
import { setTimeout as pause } from 'node:timers/promises';
import { readClientConfiguration } from '../../config/configuration.ts';
import type { FieldError } from '../../domain/errors.ts';
import { exitCodes, Failure } from '../failure.ts';
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

/** Executes an operation on the management port. Throws Failure with the code of the service. */
export async function execute<Result, Variables>(
  operation: TypedDocumentString<Result, Variables>,
  variables: Variables,
): Promise<Result> {
  const { LATCHKEY_URL, LATCHKEY_TOKEN } = readClientConfiguration(process.env);
  if (LATCHKEY_TOKEN === undefined) {
    // The token is not an option of the command, because the process list shows options.
    throw new Failure('NO_TOKEN', 'LATCHKEY_TOKEN: set it to a session token in the environment', {
      exitCode: exitCodes.usage,
    });
  }
  const body = JSON.stringify({ query: operation.toString(), variables });
  const url = new URL('/graphql', LATCHKEY_URL);
  const response = await post(url, body, LATCHKEY_TOKEN);
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

/** The maximum numbers of keys (with all fields) and of audit entries per operation. */
export const keysPageSize = 150;
export const entriesPageSize = 400;

interface Page<T> {
  readonly nodes: readonly T[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null };
}

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

function retryAfterOf({ headers }: Response): number | undefined {
  const seconds = headers.get('retry-after');
  return seconds === null || !/^\d+$/.test(seconds) ? undefined : Number(seconds);
}

export interface Verdict {
  readonly valid: boolean;
  readonly code: string;
}

export async function verify(verification: object): Promise<Verdict> {
  const { LATCHKEY_VERIFY_URL, LATCHKEY_VERIFIER_TOKEN } = readClientConfiguration(process.env);
  const url = new URL('/v1/verify', LATCHKEY_VERIFY_URL);
  const response = await post(url, JSON.stringify(verification), LATCHKEY_VERIFIER_TOKEN);
  const answer = (await response.json().catch(() => null)) as (Verdict & Problem) | null;
  if (typeof answer?.valid === 'boolean') return answer;
  throw failureOf(url, response, answer);
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
      signal: AbortSignal.timeout(timeoutMs),
    });
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    throw new Failure('UNREACHABLE', `${url.origin} can't be reached: ${cause}`);
  }
}
