/** The upstream of docs/tasks/scaling.md in a real nginx, with one instance that serves and one that is down. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { send, sharedGateway, stopListening } from '../support/gateway.ts';
import { nginx, startNginx } from './nginx.ts';
import { at, recipe } from './page.ts';
import type { RunningProxy } from './stand-in-proxy.ts';

const { text, prose } = recipe('Load balancing');
if (nginx === undefined) console.warn('skipped: nginx is not installed');

/** The directives that the text adds to `/_latchkey`. */
const directives = [...prose.matchAll(/`(proxy_(?:pass|http_version|set_header) [^`]+;)`/g)].map(([, line]) => line);

describe.skipIf(nginx === undefined)('a client of two instances behind nginx, of which one is down', () => {
  const gateway = sharedGateway('sqlite');
  let proxy: RunningProxy;
  beforeAll(async () => {
    const upstream = at(text, {
      '10.0.0.1:4001': new URL(gateway.url).host,
      '10.0.0.2:4001': `127.0.0.1:${await freePort()}`,
    });
    proxy = await startNginx(`location / { ${directives.join(' ')} }`, upstream);
  });
  afterAll(() => proxy?.stop());

  it('gets a verdict for every request, because nginx tries the other instance', async () => {
    expect(directives).toHaveLength(3);
    const { secret } = await gateway.issue();
    const headers = { authorization: `Bearer ${secret}` };
    const statuses: number[] = [];
    for (let i = 0; i < 20; i += 1) statuses.push((await send(proxy.origin, { elsewhere: true, headers })).status);
    expect(statuses).toEqual(Array.from({ length: 20 }, () => 200));
    expect((await send(proxy.origin, { elsewhere: true })).status).toBe(401);
  });

  it('is rejected while both are down, and served again after fail_timeout when one is back', async () => {
    const status = async () => (await send(proxy.origin, { elsewhere: true })).status;
    const server = gateway.running.service.gateway;
    const { hostname, port } = new URL(gateway.url);
    await stopListening(server);
    for (let i = 0; i < 10; i += 1) expect(await status()).toBe(502);
    await new Promise<void>((resolve) => server.listen(Number(port), hostname, resolve));
    await vi.waitFor(async () => expect(await status()).toBe(401), { timeout: 45_000, interval: 50 });
  });
});
