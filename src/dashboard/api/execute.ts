/** GraphQL calls with the tab's session token. */

import type { TypedDocumentString } from '../generated/graphql.ts';
import { currentSession, refuseToken, renewedToken } from '../session/session.ts';
import { ApiError, errorOfAnswer } from './api-error.ts';

/**
 * Throws ApiError. When the token is refused, the page asks for another and the call waits for it: what was typed
 * stays where it is, and nothing has to be done twice.
 */
export async function execute<Result, Variables>(
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
  signal?: AbortSignal,
): Promise<Result> {
  let { token } = currentSession();
  for (;;) {
    if (token === null || currentSession().refusal !== null) token = await renewedToken();
    try {
      return await post(document, variables, token, signal);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'UNAUTHENTICATED') throw error;
      refuseToken(token, error.message);
      token = currentSession().token;
    }
  }
}

/** One call with this very token. */
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
  // What is no JSON came from something in between, and is an error by its status.
  const answer: { data?: Result | null } | null = await response.json().catch(() => null);
  if (answer?.data != null && !('errors' in answer)) return answer.data;
  throw errorOfAnswer(answer, response);
}
