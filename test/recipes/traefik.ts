/**
 * A stand-in for Traefik 3 with the file provider: `Host` rules, `headers` and `forwardAuth` as its documentation and
 * pkg/middlewares (auth/forward.go, forwardedheaders/forwarded_header.go) have them.
 */
import { parse } from 'yaml';
import { z } from 'zod';
import { type ClientRequest, exchange, type Headers, type RunningProxy, startStandIn } from './stand-in-proxy.ts';

const forwardAuth = z.strictObject({
  address: z.url(),
  authRequestHeaders: z.array(z.string()),
  authResponseHeadersRegex: z.string(),
  forwardBody: z.boolean().default(false),
  maxBodySize: z.int().optional(),
});
const middleware = z.union([
  z.strictObject({ forwardAuth }),
  z.strictObject({ headers: z.strictObject({ customRequestHeaders: z.record(z.string(), z.string()) }) }),
]);
const configuration = z.strictObject({
  http: z.strictObject({
    routers: z.record(
      z.string(),
      z.strictObject({ rule: z.string(), middlewares: z.array(z.string()), service: z.string() }),
    ),
    middlewares: z.record(z.string(), middleware),
    services: z.record(
      z.string(),
      z.strictObject({ loadBalancer: z.strictObject({ servers: z.tuple([z.strictObject({ url: z.url() })]) }) }),
    ),
  }),
});

/** What the entry point removes for clients outside of its `trustedIPs`, which are empty by default. */
const managed =
  /^x[-_](?:forwarded[-_](?:proto|scheme|for|host|port|server|uri|method|prefix|tls[-_]client[-_]cert(?:[-_]info)?)|scheme|real[-_]ip)$/;

export async function startTraefik(text: string): Promise<RunningProxy> {
  const { routers, middlewares, services } = configuration.parse(parse(text)).http;
  return await startStandIn(async (incoming) => {
    const host = incoming.headers.get('host')?.[0] ?? '';
    const router = Object.values(routers).find(({ rule }) => hostOf(rule) === host.replace(/:\d+$/, '').toLowerCase());
    if (router === undefined) return { status: 404, headers: {}, body: Buffer.from('404 page not found\n') };
    for (const name of incoming.headers.keys()) if (managed.test(name)) incoming.headers.delete(name);
    for (const name of router.middlewares) {
      const chosen = middlewares[name];
      if (chosen === undefined) throw new Error(`there is no middleware ${name}`);
      if ('headers' in chosen) {
        for (const [header, value] of Object.entries(chosen.headers.customRequestHeaders)) {
          incoming.headers.set(header.toLowerCase(), [value]);
        }
        continue;
      }
      const rejection = await ask(chosen.forwardAuth, incoming);
      if (rejection !== null) return rejection;
    }
    const service = services[router.service];
    if (service === undefined) throw new Error(`there is no service ${router.service}`);
    return await exchange(new URL(service.loadBalancer.servers[0].url), incoming);
  });
}

function hostOf(rule: string): string {
  const [, host] = /^Host\(`([^`]+)`\)$/.exec(rule) ?? [];
  if (host === undefined) throw new Error(`this stand-in knows no rule ${rule}`);
  return host;
}

/** Null when the request may pass; then it has the headers of the answer. */
async function ask(options: z.output<typeof forwardAuth>, { method, path, address, headers, body }: ClientRequest) {
  const allowed = options.authRequestHeaders.map((name) => name.toLowerCase());
  const told: Headers = new Map([...headers].filter(([name]) => allowed.includes(name)));
  const { hostname, port, pathname, search, host } = new URL(options.address);
  told.set('host', [host]);
  told.set('x-forwarded-for', [address]);
  told.set('x-forwarded-method', [method]);
  told.set('x-forwarded-proto', ['http']);
  told.set('x-forwarded-host', headers.get('host') ?? []);
  told.set('x-forwarded-uri', [path]);
  const sent = { method: 'GET', path: pathname + search, headers: told };
  const question = { ...sent, body: options.forwardBody ? body : Buffer.alloc(0) };
  const answer = await exchange({ hostname, port }, question).catch(() => null);
  if (answer === null) return { status: 500, headers: {}, body: Buffer.alloc(0) };
  if (answer.status < 200 || answer.status >= 300) return answer;
  const [, insensitive, source = ''] = /^(\(\?i\))?(.*)$/.exec(options.authResponseHeadersRegex) ?? [];
  const matching = new RegExp(source, insensitive === undefined ? '' : 'i');
  for (const name of headers.keys()) if (matching.test(name)) headers.delete(name);
  for (const [name, value] of Object.entries(answer.headers)) {
    if (matching.test(name)) headers.set(name, [value].flat().map(String));
  }
  return null;
}
