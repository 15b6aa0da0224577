/** The peer of `GET /v1/keys` that does the same work (same-work.ts): Express with Prisma, with the same headers and log. */
import { randomUUID } from 'node:crypto';
import express from 'express';
import helmet from 'helmet';
import { pino } from 'pino';
import { pinoHttp } from 'pino-http';
import { authenticate, authorize, pageOf } from './same-work.ts';

const [port = ''] = process.argv.slice(2);
const genReqId = (_: unknown, response: { setHeader: (name: string, value: string) => void }) => {
  const id = randomUUID();
  response.setHeader('x-request-id', id);
  return id;
};

express()
  .disable('x-powered-by')
  .disable('etag')
  .use(pinoHttp({ logger: pino({}, pino.destination('/dev/null')), genReqId, quietReqLogger: true }))
  .use(helmet())
  .get('/v1/keys', async (request, response) => {
    const session = await authenticate(request.headers.authorization);
    const { teamId, limit, cursor } = request.query;
    authorize(session, String(teamId));
    const { nodes, pageInfo } = await pageOf(
      String(teamId),
      Number(limit),
      cursor === undefined ? null : String(cursor),
    );
    response.setHeader('cache-control', 'no-store');
    if (pageInfo.hasNextPage) {
      const next = new URLSearchParams({
        teamId: String(teamId),
        limit: String(limit),
        cursor: String(pageInfo.endCursor),
      });
      response.setHeader('link', `</v1/keys?${next}>; rel="next"`);
    }
    response.json(nodes);
  })
  .listen(Number(port), '127.0.0.1', () => console.log('ready'));
