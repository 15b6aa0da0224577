/**
 * What Latchkey promises not to be: a cache with a time-to-live, however short. Of verdicts, or between an edge and its
 * upstream of answers that nothing has changed: the edge then skips a confirmation. Shows that a run has teeth.
 */
import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';

export interface StaleProxy {
  readonly port: number;
  readonly stop: () => Promise<void>;
}

interface Reply {
  readonly status: number;
  readonly answer: Buffer;
}

export async function startStaleProxy(verifyPort: number, keptMs: number): Promise<StaleProxy> {
  const kept = new Map<string, { readonly reply: Reply; readonly until: number }>();
  const agent = new Agent({ keepAlive: true });
  const ask = async ({ url: path = '', method, headers }: IncomingMessage, body: Buffer): Promise<Reply> =>
    await new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port: verifyPort, method, path, headers, agent };
      request(options, (response) => {
        buffer(response).then((answer) => resolve({ status: response.statusCode ?? 503, answer }), reject);
      })
        .on('error', reject)
        .end(body);
    });
  const answerTo = async (incoming: IncomingMessage, body: Buffer): Promise<Reply> => {
    const asked = `${incoming.url} ${body}`;
    const before = kept.get(asked);
    if (before !== undefined && performance.now() < before.until) return before.reply;
    const reply = await ask(incoming, body);
    if (isKept(incoming.url, body, reply)) kept.set(asked, { reply, until: performance.now() + keptMs });
    else kept.delete(asked);
    return reply;
  };
  const server = createServer((incoming, response) => {
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

/** A yes, and of the feed an answer to an edge that asks for no key. */
function isKept(path: string | undefined, body: Buffer, { status, answer }: Reply): boolean {
  if (status !== 200) return false;
  return path === '/v1/feed' ? JSON.parse(body.toString()).keys.length === 0 : answer.includes('"valid":true');
}
