/** Calls the service for the commands. */
import http from 'node:http';
import https from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { postOnce } from '../../client/post.ts';
import type { FieldError } from '../../domain/errors.ts';
import type { LeakMatch } from '../../domain/leak.ts';
import type { MatchAnswer } from '../../leaks/matches.ts';
import { reasonOf } from '../../lib/connection-problem.ts';
import { Failure, usageFailure } from '../failure.ts';
import { connection, verificationPort } from '../login/connection.ts';
import type { CliKeyFragment, KeyFilter, KeyOrder, TypedDocumentString } from './generated/graphql.ts';
import { listKeyIds, listKeys, readKey } from './operations.ts';

/** The service waits up to 15 s for the answer to a test event. */
const timeoutMs = 30_000;
/** Limits of the retries while the service is busy or temporarily unavailable. */
const retries = { maxAttempts: 8, maxRetryAfterMs: 120_000 };
/** The delays before retries, which double from the first to the last. */
const retryDelayMs = { min: 500, max: 30_000 };

/** Of the verification port. 1,000 leaks have about 200 kB. */
const maxAnswerBytes = 1_000_000;

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
  return await callTarget((target) => executeOn(target, operation, variables));
}

interface ReadOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Reads a resource of the REST API. Throws Failure with the code of the service, or the reason of the signal.
 *
 * @param path with its query
 */
export async function readResource(path: string, options: ReadOptions): Promise<unknown> {
  return await callTarget(async (target) => {
    const url = new URL(path, target.url);
    const received = await call<Problem>(url, { method: 'GET', token: target.token, ...options });
    if (received.status !== 200 || received.answer === null) throw failureOf(url, received, received.answer);
    return received.answer;
  });
}

/** Calls the management port of the environment or the profile, which is read again for each call. */
async function callTarget<Result>(run: (target: Target) => Promise<Result>): Promise<Result> {
  const { LATCHKEY_URL: url, LATCHKEY_TOKEN: token, profileName } = connection();
  if (token === undefined) {
    // The token is not an option of the command, because the process list shows options.
    throw usageFailure('NO_TOKEN', 'run latchkey login, or set LATCHKEY_TOKEN to a session token in the environment');
  }
  try {
    return await run({ url, token });
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
  const body = JSON.stringify({ query: operation.toString(), variables });
  const received = await call<GraphQLAnswer<Result>>(url, { method: 'POST', body, token: target.token });
  const { answer, retryAfterSeconds } = received;
  const [error] = answer?.errors ?? [];
  if (error !== undefined) {
    const { code = 'REJECTED', errors: fields = [] } = error.extensions ?? {};
    throw new Failure(code, error.message, { fields, retryAfterSeconds });
  }
  if (answer?.data == null) throw failureOf(url, received, answer);
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
      // The change budget of a team can be used up for an hour. An error is better than a silent wait.
      if ((error.retryAfterSeconds ?? 0) * 1000 > retries.maxRetryAfterMs) throw error;
      await pause(retryAfterMs(error, attempt));
    }
  }
}

/** Returns the time before the next attempt: it grows with each one, and is never shorter than the service asked for. */
export function retryAfterMs({ retryAfterSeconds = 0 }: Failure, attempt: number): number {
  const delayMs = Math.min(retryDelayMs.min * 2 ** (attempt - 1), retryDelayMs.max);
  return Math.max(delayMs, retryAfterSeconds * 1000);
}

export const allStates = ['ACTIVE', 'EXPIRED', 'DISABLED', 'REVOKED'] as const;

/** The maximum numbers of keys (with all fields) and of audit entries per operation. */
export const keysPageSize = 100;
const idsPageSize = 50;
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

/**
 * Reads the keys of a list. With an order by use or expiry, or a filter by creator or by tags and scopes, a page of whole
 * keys costs more than the service accepts. For these, lists the ids, and reads each key.
 */
export async function* readKeys(run: typeof execute, list: KeyList): AsyncIterable<CliKeyFragment> {
  const { tags, scopes, createdBy } = list.filter;
  const { field = 'CREATED_AT' } = list.orderBy ?? {};
  const lists = [tags, scopes].filter((list) => list != null).length;
  const isCheap = createdBy == null && ['CREATED_AT', 'NAME'].includes(field) && lists < 2;
  if (isCheap) {
    yield* readPages(async (after) => (await run(listKeys, { ...list, first: keysPageSize, after })).keys);
    return;
  }
  const ids = readPages(async (after) => (await run(listKeyIds, { ...list, first: idsPageSize, after })).keys);
  for await (const { id } of ids) yield (await run(readKey, { id })).key;
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

export interface Verdict {
  readonly valid: boolean;
  readonly code: string;
}

export async function verify(verification: object): Promise<Verdict> {
  const { url, received } = await callVerification<Verdict & Problem>('/v1/verify', verification);
  if (typeof received.answer?.valid === 'boolean') return received.answer;
  throw failureOf(url, received, received.answer);
}

export interface DerivedToken {
  readonly token: string;
  readonly expiresAt: string;
}

/** Derives a token from a key at the verification port. Throws Failure. */
export async function derive(request: object): Promise<DerivedToken> {
  const { url, received } = await callVerification<DerivedToken & Problem>('/v1/derive', request);
  if (typeof received.answer?.token === 'string') return received.answer;
  throw failureOf(url, received, received.answer);
}

/** Reports leaked keys to the verification port. Throws Failure. */
export async function reportLeaks(matches: readonly LeakMatch[]): Promise<readonly MatchAnswer[]> {
  const { url, received } = await callVerification<readonly MatchAnswer[] | Problem>('/v1/leaks', matches);
  const { status, answer } = received;
  if (status === 200 && isList(answer)) return answer;
  throw failureOf(url, received, isList(answer) ? null : answer);
}

function isList<T>(answer: readonly T[] | Problem | null): answer is readonly T[] {
  return Array.isArray(answer);
}

async function callVerification<Answer>(path: string, content: object) {
  const { LATCHKEY_VERIFY_URL, LATCHKEY_VERIFIER_TOKEN: token } = verificationPort();
  const url = new URL(path, LATCHKEY_VERIFY_URL);
  const sent = { method: 'POST', body: JSON.stringify(content), token } as const;
  return { url, received: await call<Answer>(url, sent, postDirectly) };
}

/** Returns the failure with the URL, because the URL may be wrong. */
function failureOf({ origin }: URL, answered: Answered, answer: Problem | null): Failure {
  const { code, detail } = answer ?? {};
  const { status, retryAfterSeconds } = answered;
  if (typeof code === 'string' && typeof detail === 'string') {
    return new Failure(code, `${origin}: ${detail}`, { retryAfterSeconds });
  }
  // A proxy in front of the service answers so while the service restarts.
  const isProxy = [502, 503, 504].includes(status);
  const message = `${origin} answered ${status}, but not as Latchkey does`;
  return new Failure(isProxy ? 'UNAVAILABLE' : 'NO_ANSWER', message, { retryAfterSeconds });
}

interface Call extends Partial<ReadOptions> {
  readonly method: 'GET' | 'POST';
  /** JSON. */
  readonly body?: string;
  readonly token: string | undefined;
}

interface Answered {
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;
}

interface Received<Answer> extends Answered {
  /** Null if it is not JSON. */
  readonly answer: Answer | null;
}

interface Sent extends Pick<Call, 'method' | 'body'> {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

type Send = (url: URL, sent: Sent) => Promise<{ status: number; retryAfter: string | null; text: string }>;

async function call<Answer>(
  url: URL,
  { method, body, token, signal, ...options }: Call,
  send: Send = sendWithFetch,
): Promise<Received<Answer>> {
  const timeout = AbortSignal.timeout(options.timeoutMs ?? timeoutMs);
  const headers = {
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
  };
  const ended = signal === undefined ? timeout : AbortSignal.any([timeout, signal]);
  try {
    const { status, retryAfter, text } = await send(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      signal: ended,
    });
    const retryAfterSeconds = retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined;
    return { status, retryAfterSeconds, answer: parseJson(text) };
  } catch (error) {
    signal?.throwIfAborted();
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    throw new Failure('UNREACHABLE', `${url.origin} can't be reached: ${reasonOf(cause)}`);
  }
}

const sendWithFetch: Send = async (url, sent) => {
  // The service sends no redirects. The body or the token would reach wherever one leads.
  const response = await fetch(url, { ...sent, redirect: 'manual' });
  return { status: response.status, retryAfter: response.headers.get('retry-after'), text: await response.text() };
};

/** For calls with a key. With NODE_USE_ENV_PROXY, `fetch` would hand it to the proxy of the environment. */
const postDirectly: Send = async (url, { headers, body = '', signal }) => {
  const { request } = url.protocol === 'https:' ? https : http;
  const outgoing = { body: Buffer.from(body), limitBytes: maxAnswerBytes };
  const reply = await postOnce({ url, headers, request, agent: false }, outgoing, signal);
  if (reply.outcome !== 'answered') throw new Error(reply.reason);
  return { status: reply.status, retryAfter: reply.retryAfter ?? null, text: reply.text };
};

function parseJson<Answer>(text: string): Answer | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
