/** GraphQL calls with the tab's session token. */

import type { TypedDocumentString } from '../generated/graphql.ts';
import { currentSession, rejectToken, renewedToken } from '../session/session.ts';
import { ApiError, errorOfAnswer } from './api-error.ts';

/**
 * Runs an operation. If the token is rejected, the page asks for another and the call waits for it, so that the user's
 * input is kept. Throws ApiError.
 */
export async function execute<Result, Variables>(
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
  signal?: AbortSignal,
): Promise<Result> {
  let { token } = currentSession();
  for (;;) {
    if (token === null || currentSession().rejection !== null) token = await renewedToken();
    try {
      return await post(document, variables, token, signal);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'UNAUTHENTICATED') throw error;
      rejectToken(token, error.message);
      token = currentSession().token;
    }
  }
}

/** Sends one request with the given token. */
export async function post<Result, Variables>(
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
  token: string,
  signal?: AbortSignal,
): Promise<Result> {
  let response: Response;
  try {
    response = await fetch('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json', Authorization: `Bearer ${token}` },
      body: JSON.stringify({ query: document.toString(), variables }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw new ApiError('NETWORK', 'The server can’t be reached.', null);
  }
  // A response that is not JSON came from a proxy. It is an error with the status as its code.
  const answer: { data?: Result | null } | null = await response.json().catch(() => null);
  if (answer?.data != null && !('errors' in answer)) return answer.data;
  throw errorOfAnswer(answer, response);
}
