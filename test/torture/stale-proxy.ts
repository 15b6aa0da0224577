/** What Latchkey promises not to be: a cache of verdicts with a time-to-live, however short. Shows that a run has teeth. */
import { Agent, createServer, request } from 'node:http';
import { buffer } from 'node:stream/consumers';

export interface StaleProxy {
  readonly port: number;
  readonly stop: () => Promise<void>;
}

export async function startStaleProxy(verifyPort: number, keptMs: number): Promise<StaleProxy> {
  const yeses = new Map<string, { readonly answer: Buffer; readonly until: number }>();
  const agent = new Agent({ keepAlive: true });
  const ask = async (body: Buffer): Promise<{ readonly status: number; readonly answer: Buffer }> =>
    await new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': body.length };
      const options = { host: '127.0.0.1', port: verifyPort, method: 'POST', path: '/v1/verify', headers, agent };
      request(options, (response) => {
        buffer(response).then((answer) => resolve({ status: response.statusCode ?? 503, answer }), reject);
      })
        .on('error', reject)
        .end(body);
    });
  const answerTo = async (body: Buffer) => {
    const asked = body.toString();
    const kept = yeses.get(asked);
    if (kept !== undefined && performance.now() < kept.until) return { status: 200, answer: kept.answer };
    const { status, answer } = await ask(body);
    if (answer.includes('"valid":true')) yeses.set(asked, { answer, until: performance.now() + keptMs });
    else yeses.delete(asked);
    return { status, answer };
  };
  const server = createServer((incoming, response) => {
    buffer(incoming)
      .then(answerTo)
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
