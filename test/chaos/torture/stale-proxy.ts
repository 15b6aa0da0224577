/**
 * A cache with a time-to-live, which breaks the strict promise. It keeps verdicts and, between an edge and its upstream,
 * the state of the feed, so that the edge skips confirmations. Shows that a run detects stale verdicts.
 */
import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';

export type StaleProxy = Awaited<ReturnType<typeof startStaleProxy>>;

interface Reply {
  readonly status: number;
  readonly answer: Buffer;
}

export async function startStaleProxy(verifyPort: number, keptMs: number) {
  const kept = new Map<string, { readonly reply: Reply; readonly until: number }>();
  let confirmedUntil = Number.NEGATIVE_INFINITY;
  const agent = new Agent({ keepAlive: true });
  const forward = async ({ url: path = '', method, headers }: IncomingMessage, body: Buffer): Promise<Reply> =>
    await new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port: verifyPort, method, path, headers, agent };
      request(options, (response) => {
        buffer(response).then((answer) => resolve({ status: response.statusCode ?? 503, answer }), reject);
      })
        .on('error', reject)
        .end(body);
    });
  const verdict = async (incoming: IncomingMessage, body: Buffer): Promise<Reply> => {
    const key = body.toString();
    const last = kept.get(key);
    if (last !== undefined && performance.now() < last.until) return last.reply;
    const reply = await forward(incoming, body);
    if (reply.answer.includes('"valid":true')) kept.set(key, { reply, until: performance.now() + keptMs });
    else kept.delete(key);
    return reply;
  };
  const feed = async (incoming: IncomingMessage, body: Buffer): Promise<Reply> => {
    const reply = await forward(incoming, body);
    const { cursor } = JSON.parse(body.toString());
    if (reply.status !== 200 || cursor === null) return reply;
    if (performance.now() < confirmedUntil) return { ...reply, answer: asIfUnchanged(reply.answer, cursor) };
    confirmedUntil = performance.now() + keptMs;
    return reply;
  };
  const answerTo = (incoming: IncomingMessage, body: Buffer) => {
    if (incoming.url === '/v1/feed') return feed(incoming, body);
    return incoming.url === '/v1/verify' ? verdict(incoming, body) : forward(incoming, body);
  };
  const server = createServer((incoming, response) => {
    // It can't keep the state of a stream, so that edges send single requests.
    if (incoming.url === '/v1/feed/stream') {
      response.writeHead(404).end();
      return;
    }
    buffer(incoming)
      .then((body) => answerTo(incoming, body))
      .then(
        ({ status, answer }) => response.writeHead(status, { 'content-type': 'application/json' }).end(answer),
        () => response.writeHead(503).end(),
      );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy listens on no port');
  return {
    port: address.port,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      agent.destroy();
    },
  };
}

/** Forwards current rows, but hides changes of other keys until the next forwarded answer. */
function asIfUnchanged(answer: Buffer, cursor: string): Buffer {
  const before = { cursor, clear: false, changed: [] };
  return Buffer.from(JSON.stringify({ ...JSON.parse(answer.toString()), ...before }));
}
