import type { TypedDocumentString } from '../generated/graphql.ts';
import { recover } from '../session/recover.ts';
import { adoptSession, continued, currentSession } from '../session/session.ts';
import { ApiError, isUnauthenticated } from './api-error.ts';
import { asSession, post } from './post.ts';

/**
 * Runs an operation. If the session has ended, waits until the user signs in again, so that no input is lost. Fails if
 * another session starts before the response. A mutation also fails if the user chooses not to sign in now. Throws
 * ApiError.
 */
export async function execute<Result, Variables>(
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
  signal?: AbortSignal,
): Promise<Result> {
  const { count } = currentSession();
  const isChange = document.toString().trimStart().startsWith('mutation');
  for (;;) {
    if (!(await continued(count, isChange))) throw sessionEnded();
    const sentAt = Date.now();
    try {
      const { data, sessionId } = await post(document, variables, asSession(currentSession().id), signal);
      if (currentSession().count !== count) throw sessionEnded();
      adoptSession(sessionId);
      return data;
    } catch (error) {
      if (!isUnauthenticated(error)) throw error;
      await recover(error, sentAt);
    }
  }
}

function sessionEnded(): ApiError {
  return new ApiError('SESSION_ENDED', 'The session ended before the server responded.', null);
}
