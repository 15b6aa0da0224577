/** The types of Express that the middleware uses. They are structural, so that it depends on neither version of Express. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AuthenticatedKey } from '../verdict.ts';

/** What the middleware uses of a request of Express 4 or 5. */
export interface ExpressRequest extends IncomingMessage {
  readonly method: string;
  readonly originalUrl: string;
  readonly protocol: string;
  readonly ip?: string | undefined;
  apiKey?: AuthenticatedKey;
}

export type ExpressMiddleware = (
  request: ExpressRequest,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;
