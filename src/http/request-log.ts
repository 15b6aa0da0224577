import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { pinoHttp } from 'pino-http';
import { isUuid } from '../lib/uuid.ts';

/**
 * Logs one line for each request, and sets its id in the `X-Request-Id` header. The id is always generated here: an id
 * from the client could be any text. Headers and the query are not logged.
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

const minCharacters = 20;
const builtFile = /^\/assets\/[\w-]+\.[a-z\d]+$/;

/**
 * Returns the path of a URL for the log. Removes the query, and redacts each segment that is long enough for a key and
 * not a UUID: a client may have put a key or a token of any format into the URL.
 */
export function loggedPath(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1);
  if (builtFile.test(path)) return path;
  const readable = (segment: string) => segment.length < minCharacters || isUuid(segment);
  return path
    .split('/')
    .map((segment) => (readable(segment) ? segment : '[redacted]'))
    .join('/');
}
