/**
 * What many gateways do: accepts the keys that Latchkey accepts, and keeps each verdict for some seconds.
 * `node test/proof/history/caching-verifier.ts [--seconds 10] [--port 4100] [--upstream http://127.0.0.1:4001]`.
 */
import { createServer, type Server } from 'node:http';
import { parseArgs } from 'node:util';

export function createCachingVerifier(upstream: string, keptMs: number): Server {
  const kept = new Map<string, { readonly status: number; readonly until: number }>();
  const statusOf = async (authorization: string): Promise<number> => {
    const last = kept.get(authorization);
    if (last !== undefined && performance.now() < last.until) return last.status;
    const headers = { authorization };
    const { status } = await fetch(`${upstream}/v1/authorize`, { headers, redirect: 'manual' });
    kept.set(authorization, { status, until: performance.now() + keptMs });
    return status;
  };
  return createServer(({ headers: { authorization = '' } }, response) => {
    statusOf(authorization).then(
      (status) => response.writeHead(status).end(),
      () => response.writeHead(503).end(),
    );
  });
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '10' },
      port: { type: 'string', default: '4100' },
      upstream: { type: 'string', default: 'http://127.0.0.1:4001' },
    },
  });
  createCachingVerifier(values.upstream, Number(values.seconds) * 1000).listen(Number(values.port), '127.0.0.1');
}
