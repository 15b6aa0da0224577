import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ProblemAnswer } from './problem.ts';

/** Answers the request, unless something else already has. */
export function sendProblem(
  { status, headers, body }: ProblemAnswer,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (response.headersSent) return;
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.end(body);
  // Node discards the rest of a body by itself only if nothing has started to read it.
  request.resume();
}
