/** Sends requests to the management port, and reads its answers and errors. */
import type { TypedDocumentString } from '../generated/graphql.ts';
import { ApiError, errorOfBody } from './api-error.ts';

/** The header that names a session, in requests and answers. */
const sessionHeader = 'Latchkey-Session';

/** How a request proves who sends it. */
export type Access = Pick<RequestInit, 'credentials' | 'headers'>;

/** Uses the cookie. The header proves that a script of this origin sends the request, and for which session. */
export function asSession(id: string | null): Access {
  return { headers: { [sessionHeader]: id ?? 'current' } };
}

interface Call {
  readonly access: Access;
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly body?: object;
  readonly signal?: AbortSignal | undefined;
}

interface Answer<Body> {
  readonly body: Body;
  readonly sessionId: string | null;
}

/** A dialog can't be closed while its call is pending, so no call may be pending forever. */
const timeoutMs = 30_000;

/** Throws ApiError if the server can't be reached, does not answer in time, or does not answer what `isGood` wants. */
export async function send<Body extends object>(
  path: string,
  { access, method = 'POST', body, signal }: Call,
  isGood: (answer: Body, response: Response) => boolean = (_, { ok }) => ok,
): Promise<Answer<Body>> {
  const timeout = AbortSignal.timeout(timeoutMs);
  let response: Response;
  try {
    response = await fetch(path, {
      ...access,
      method,
      // If the user leaves the page, the browser still receives the new cookie. The previous one does not work anymore.
      keepalive: path.startsWith('/session'),
      headers: { ...access.headers, 'Content-Type': 'application/json', Accept: 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    if (timeout.aborted) throw timedOut();
    throw new ApiError('NETWORK', 'The server can’t be reached.', null);
  }
  // A response that is not JSON came from a proxy. The error then has the status as its code.
  const answer: Body | null = await response.json().catch(() => null);
  if (answer !== null && isGood(answer, response))
    return { body: answer, sessionId: response.headers.get(sessionHeader) };
  if (timeout.aborted) throw timedOut();
  throw errorOfBody(answer, response);
}

export async function post<Result, Variables>(
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
  access: Access,
  signal?: AbortSignal,
): Promise<{ readonly data: Result; readonly sessionId: string | null }> {
  const { body, sessionId } = await send<{ readonly data: Result }>(
    '/graphql',
    { access, body: { query: document.toString(), variables }, signal },
    (answer) => answer.data != null && !('errors' in answer),
  );
  return { data: body.data, sessionId };
}

function timedOut(): ApiError {
  const seconds = timeoutMs / 1000;
  const message = `The server did not answer within ${seconds} seconds. Whether it made a change is not known.`;
  return new ApiError('TIMEOUT', message, null);
}
