import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { pinoHttp } from 'pino-http';
import { loggedPath } from './logged-path.ts';

/**
 * One line for each request, and an id for it in the `X-Request-Id` header. The id is always ours: one that came with
 * the request could be anything. Neither headers nor the query are logged: a GraphQL query can stand in a URL.
 */
export function requestLog(log: Logger) {
  return pinoHttp({
    logger: log,
    genReqId: (_, response) => {
      const id = randomUUID();
      response.setHeader('x-request-id', id);
      return id;
    },
    serializers: {
      req: ({ method, url, remoteAddress }) => ({ method, path: loggedPath(String(url)), remoteAddress }),
      res: ({ statusCode }) => ({ statusCode }),
    },
    customLogLevel: (_, response, error) => (error !== undefined || response.statusCode >= 500 ? 'error' : 'info'),
    quietReqLogger: true,
    customAttributeKeys: { reqId: 'requestId' },
  });
}
