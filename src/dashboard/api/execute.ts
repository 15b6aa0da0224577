import type { TypedDocumentString } from '../generated/graphql.ts';
import { currentSession, rejectToken, renewedToken } from '../session/session.ts';
import { ApiError, errorOfBody } from './api-error.ts';

/**
 * Runs an operation. If the token is rejected, waits until the user signs in again, so that no input is lost. Fails if
 * the session ends before the response, because another user may sign in next. A mutation also fails if the user
 * chooses not to sign in now. Throws ApiError.
 */
export async function execute<Result, Variables>(
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
  signal?: AbortSignal,
): Promise<Result> {
  const { count } = currentSession();
  const isChange = document.toString().trimStart().startsWith('mutation');
  for (;;) {
    const { token, rejection } = currentSession();
    const usable = token !== null && rejection !== null ? await renewedToken(isChange) : token;
    if (usable === null || currentSession().count !== count) throw sessionEnded();
    try {
      const result = await post(document, variables, usable, signal);
      if (currentSession().count !== count) throw sessionEnded();
      return result;
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'UNAUTHENTICATED') throw error;
      rejectToken(usable, error.message);
    }
  }
}

function sessionEnded(): ApiError {
  return new ApiError('SESSION_ENDED', 'The session ended before the server responded.', null);
}

/** A dialog can't be closed while its call is pending, so no call may be pending forever. */
const timeoutMs = 30_000;

export async function post<Result, Variables>(
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
  token: string,
  signal?: AbortSignal,
): Promise<Result> {
  const timeout = AbortSignal.timeout(timeoutMs);
  let response: Response;
  try {
    response = await fetch('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json', Authorization: `Bearer ${token}` },
      body: JSON.stringify({ query: document.toString(), variables }),
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    if (timeout.aborted) throw timedOut();
    throw new ApiError('NETWORK', 'The server can’t be reached.', null);
  }
  // A response that is not JSON came from a proxy. The error then has the status as its code.
  const body: { data?: Result | null } | null = await response.json().catch(() => null);
  if (body?.data != null && !('errors' in body)) return body.data;
  if (timeout.aborted) throw timedOut();
  throw errorOfBody(body, response);
}

function timedOut(): ApiError {
  const seconds = timeoutMs / 1000;
  const message = `The server did not answer within ${seconds} seconds. Whether it made a change is not known.`;
  return new ApiError('TIMEOUT', message, null);
}
