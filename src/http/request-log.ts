import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { pinoHttp } from 'pino-http';
import { loggedPath } from './logged-path.ts';

/**
 * Logs one line for each request, and sets its id in the `X-Request-Id` header. The id is always generated here: an id
 * from the client could be any text. Headers and the query are not logged, because a URL can contain a GraphQL query.
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
