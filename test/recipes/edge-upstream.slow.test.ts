/** An edge whose upstream is behind a real nginx, which forwards complete requests only unless it is told otherwise. */
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createLocalVerifier } from '../../src/client/local-verifier.ts';
import { sharedGateway } from '../support/gateway.ts';
import { nginx, startNginx } from './nginx.ts';
import { at, recipe } from './page.ts';

if (nginx === undefined) console.warn('skipped: nginx is not installed');

describe.skipIf(nginx === undefined)('an edge behind nginx', () => {
  const gateway = sharedGateway('sqlite');
  const arrived: string[] = [];
  beforeAll(() => {
    gateway.running.service.gateway.on('request', ({ url }) => arrived.push(url ?? ''));
  });
  const count = (path: string) => arrived.filter((url) => url === path).length;
  /** Twenty verdicts, and that on a revoked key. */
  async function verifyThrough(locations: string): Promise<void> {
    const proxy = await startNginx(locations);
    onTestFinished(() => proxy.stop());
    const { verify, close } = createLocalVerifier({ url: proxy.origin, timeoutMs: 6000 });
    onTestFinished(() => close());
    const { id, secret } = await gateway.issue();
    arrived.splice(0);
    for (let i = 0; i < 20; i += 1) expect((await verify({ key: secret })).code).toBe('VALID');
    await gateway.revoke(id);
    expect((await verify({ key: secret })).code).toBe('REVOKED');
  }
  const toService = () => `location / { proxy_pass ${gateway.url}; }`;

  it('as it is by default gets each request of an edge as a request of its own', async () => {
    await verifyThrough(toService());
    expect(count('/v1/feed')).toBeGreaterThan(20);
    expect(count('/v1/feed/stream')).toBe(0);
  });

  it('with the settings of docs/tasks/edge.md gets the requests of an edge as lines of a stream', async () => {
    const { host } = new URL(gateway.url);
    await verifyThrough(`${toService()} ${at(recipe('Behind nginx').text, { '127.0.0.1:4001': host })}`);
    expect(count('/v1/feed')).toBeLessThan(5);
    expect(count('/v1/feed/stream')).toBeGreaterThan(0);
  });
});
