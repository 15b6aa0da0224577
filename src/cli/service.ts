/** Calls of the service that the commands make. */
import { setTimeout as pause } from 'node:timers/promises';
import type { ClientConfiguration } from '../config/configuration.ts';
import { exitCodes, Failure, type FieldProblem } from './failure.ts';
import type { TypedDocumentString } from './generated/graphql.ts';

const timeoutMs = 15_000;
/** For a service that is busy or temporarily unavailable. */
const retries = { maxAttempts: 8, minDelayMs: 500, maxDelayMs: 30_000, maxRetryAfterMs: 120_000 };

interface GraphQLAnswer<Result> {
  readonly data?: Result | null;
  readonly errors?: readonly {
    readonly message: string;
    readonly extensions?: { readonly code?: string; readonly errors?: readonly FieldProblem[] };
  }[];
}

/** Calls the management port. Throws Failure with the code of the service. */
export async function ask<Result, Variables>(
  { LATCHKEY_URL, LATCHKEY_TOKEN }: ClientConfiguration,
  operation: TypedDocumentString<Result, Variables>,
  variables: Variables,
): Promise<Result> {
  if (LATCHKEY_TOKEN === undefined) {
    // Not an option of the command, because the process list shows options.
    throw new Failure('NO_TOKEN', 'LATCHKEY_TOKEN: set it to a session token in the environment', {
      exitCode: exitCodes.usage,
    });
  }
  const body = JSON.stringify({ query: operation.toString(), variables });
  const response = await post(new URL('/graphql', LATCHKEY_URL), body, LATCHKEY_TOKEN);
  const answer = (await response.json().catch(() => null)) as GraphQLAnswer<Result> | null;
  const [error] = answer?.errors ?? [];
  if (error !== undefined) {
    const { code = 'REJECTED', errors: fields = [] } = error.extensions ?? {};
    throw new Failure(code, error.message, { fields, retryAfterSeconds: retryAfterOf(response) });
  }
  if (answer?.data == null)
    throw new Failure('NO_ANSWER', `${LATCHKEY_URL} answered ${response.status}, but not as Latchkey does`);
  return answer.data;
}

/** Calls the management port and retries while the service is busy or unavailable. For calls that can be repeated. */
export async function askWithRetries<Result, Variables>(
  service: ClientConfiguration,
  operation: TypedDocumentString<Result, Variables>,
  variables: Variables,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask(service, operation, variables);
    } catch (error) {
      if (!(error instanceof Failure) || !error.isTemporary || attempt === retries.maxAttempts) throw error;
      const retryAfterMs = (error.retryAfterSeconds ?? 0) * 1000;
      // The change budget of a team can be used up for an hour. An error is better than waiting silently.
      if (retryAfterMs > retries.maxRetryAfterMs) throw error;
      const delayMs = Math.min(retries.minDelayMs * 2 ** (attempt - 1), retries.maxDelayMs);
      await pause(Math.max(delayMs, retryAfterMs));
    }
  }
}

function retryAfterOf({ headers }: Response): number | undefined {
  const seconds = headers.get('retry-after');
  return seconds === null || !/^\d+$/.test(seconds) ? undefined : Number(seconds);
}

export interface Verdict {
  readonly valid: boolean;
  readonly code: string;
}

/** Calls the verification port. */
export async function verify(
  { LATCHKEY_VERIFY_URL, LATCHKEY_VERIFIER_TOKEN }: ClientConfiguration,
  verification: object,
): Promise<Verdict> {
  const response = await post(
    new URL('/v1/verify', LATCHKEY_VERIFY_URL),
    JSON.stringify(verification),
    LATCHKEY_VERIFIER_TOKEN,
  );
  const answer = (await response.json().catch(() => null)) as (Verdict & { readonly detail?: string }) | null;
  if (typeof answer?.valid === 'boolean') return answer;
  throw new Failure(
    answer?.code ?? 'NO_ANSWER',
    answer?.detail ?? `${LATCHKEY_VERIFY_URL} answered ${response.status}`,
  );
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
