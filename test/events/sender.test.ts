// SECURITY.md: Hostile tenant
/** What the sender of webhooks sends, to which addresses, and over which connections. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import {
  addressOf,
  allClosed,
  createSender,
  failure,
  hook,
  http,
  listen,
  networkOf,
  raw,
  textOf,
  webhook,
} from '../support/webhook-sender.ts';

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));
if (!hasIpv6) console.warn('No webhook is sent to an IPv6 address: this machine has no ::1');

describe('a request', () => {
  it('is a POST of the body as it is, with the headers, and its answer is recorded', async () => {
    const seen: unknown[] = [];
    const { port } = await http(async (request, response) => {
      const { method, url, headers } = request;
      seen.push({ method, url, headers, body: await textOf(request) });
      response.writeHead(202).end('{\n  "received": true\r\n}');
    });
    const body = '{"name":"Ключ"}';
    const headers = { 'content-type': 'application/json', 'webhook-id': 'evt_1' };
    const url = `http://HOOKS.invalid.:${port}/a%20b?c=d&e`;
    expect(await createSender().send({ url, teamId: 'team', headers, body })).toEqual({
      ok: true,
      status: 202,
      durationMs: expect.any(Number),
      responseBody: '{   "received": true  }',
      error: null,
      retryAfterMs: null,
      isGone: false,
      cpuMs: 0,
    });
    expect(seen).toEqual([
      {
        method: 'POST',
        url: '/a%20b?c=d&e',
        body,
        headers: {
          'accept-encoding': 'identity',
          connection: 'keep-alive',
          'content-length': String(Buffer.byteLength(body)),
          'content-type': 'application/json',
          host: `hooks.invalid:${port}`,
          'user-agent': 'latchkey/test',
          'webhook-id': 'evt_1',
        },
      },
    ]);
  });

  it('may have a body of bytes, such as a compressed batch', async () => {
    const batch = gzipSync('{}\n'.repeat(500));
    const { port } = await http(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      response.end(String(Buffer.concat(chunks).equals(batch)));
    });
    const attempt = await createSender().send({ ...hook(port), body: batch });
    expect(attempt.responseBody).toBe('true');
  });

  it.each([
    [200, { ok: true, error: null }],
    [204, { ok: true, error: null }],
    [299, { ok: true, error: null }],
    [301, { ok: false, error: 'redirects are not followed' }],
    [304, { ok: false, error: 'redirects are not followed' }],
    [307, { ok: false, error: 'redirects are not followed' }],
    [400, { ok: false, error: null }],
    [404, { ok: false, error: null }],
    [410, { ok: false, error: null, isGone: true }],
    [500, { ok: false, error: null }],
    [599, { ok: false, error: null }],
  ])('that is answered with %d is judged by the status', async (status, expected) => {
    let requests = 0;
    const { port } = await http((_, response) => {
      requests += 1;
      response.writeHead(status, { location: '/elsewhere' }).end();
    });
    expect(await createSender().send(hook(port))).toMatchObject({ status, isGone: false, ...expected });
    expect(requests).toBe(1);
  });

  it.each([
    [429, '120', 120_000],
    [503, '3600', 3_600_000],
    [503, '999999', 86_400_000],
    [500, 'later', null],
    [200, '120', null],
  ])('that is answered with %d and Retry-After: %s waits for %s ms', async (status, retryAfter, retryAfterMs) => {
    const { port } = await http((_, response) => response.writeHead(status, { 'retry-after': retryAfter }).end());
    expect(await createSender().send(hook(port))).toMatchObject({ status, retryAfterMs });
  });

  it('is aborted by the signal, by close, and not sent after either', async () => {
    const server = await raw(() => undefined);
    const sender = createSender();
    const abort = new AbortController();
    const aborted = sender.send(hook(server.port), { signal: abort.signal });
    const closed = sender.send(hook(server.port));
    await expect.poll(() => server.counts.connections).toBe(2);
    abort.abort(new Error('stop'));
    await expect(aborted).rejects.toThrow('stop');
    sender.close();
    await expect(closed).rejects.toThrow('the sender of webhooks is closed');
    await allClosed(server);
    await expect(sender.send(hook(server.port))).rejects.toThrow('the sender of webhooks is closed');
    await expect(createSender().send(hook(server.port), { signal: abort.signal })).rejects.toThrow('stop');
    expect(server.counts.connections).toBe(2);
  });
});

describe('an address', () => {
  const notAllowed = [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.0.0.1',
    '10.0.0.1',
    '169.254.169.254',
    '0.0.0.0',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[fd00:ec2::254]',
  ];

  it.each(notAllowed)('that is not public is rejected, as an answer of DNS and in the URL: %s', async (host) => {
    const server = await listen(createTcpServer());
    const address = addressOf(new URL(`http://${host}`).hostname.replace(/[[\]]/g, ''));
    const sender = createSender({ allowedNetworks: [], addressesOf: async () => [address] });
    expect(await sender.send(webhook(`https://${host}:${server.port}/`))).toEqual(
      failure('the address is not allowed'),
    );
    expect(await sender.send(webhook(`https://hooks.example:${server.port}/`))).toEqual(
      failure('the address is not allowed'),
    );
    expect(server.counts.connections).toBe(0);
  });

  it('that is not allowed rejects all addresses of its name', async () => {
    const server = await listen(createTcpServer());
    for (const other of ['10.0.0.1', '::1', '169.254.169.254', '127.0.0.2']) {
      for (const addresses of [
        ['127.0.0.1', other],
        [other, '127.0.0.1'],
        [...Array(20).fill('127.0.0.1'), other],
      ]) {
        const sender = createSender({
          allowedNetworks: [networkOf('127.0.0.1')],
          addressesOf: async () => addresses.map(addressOf),
        });
        expect(await sender.send(hook(server.port))).toEqual(failure('the address is not allowed'));
      }
    }
    expect(server.counts.connections).toBe(0);
  });

  it('outside allowed networks gets neither http nor a port of another service', async () => {
    const sender = createSender({ addressesOf: async () => [addressOf('127.0.0.1'), addressOf('1.1.1.1')] });
    expect(await sender.send(webhook('http://hooks.example/'))).toEqual(failure('http is not allowed'));
    expect(await sender.send(webhook('https://hooks.example:25/'))).toEqual(failure('the port is not allowed'));
  });

  it('is the one that was checked, whatever DNS answers to other queries', async () => {
    const server = await http((_, response) => response.end('checked'));
    const other = await http((_, response) => response.end('other'), '127.0.0.2', server.port);
    const queries: string[] = [];
    const answers = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];
    const sender = createSender({
      allowedNetworks: [networkOf('127.0.0.1'), networkOf('127.0.0.2')],
      addressesOf: async (host, team) => {
        queries.push(`${team} ${host}`);
        return [addressOf(answers[queries.length - 1] ?? '')];
      },
    });
    expect(await sender.send(hook(server.port))).toMatchObject({ ok: true, responseBody: 'checked' });
    expect(queries).toEqual(['team hooks.invalid']);
    // The connection to the previous address is idle, but is not used for the next one.
    expect(await sender.send(hook(server.port))).toMatchObject({ ok: true, responseBody: 'other' });
    expect(await sender.send(hook(server.port))).toEqual(failure('the address is not allowed'));
    expect(queries).toHaveLength(3);
    expect([server.counts.connections, other.counts.connections]).toEqual([1, 1]);
  });

  it.skipIf(!hasIpv6)('may be an IPv6 address in the URL', async () => {
    const { port } = await http((request, response) => response.end(request.headers.host), '::1');
    const sender = createSender({ allowedNetworks: [networkOf('::1')] });
    const responseBody = `[::1]:${port}`;
    expect(await sender.send(webhook(`http://[0:0::1]:${port}/`))).toMatchObject({ ok: true, responseBody });
  });

  it('is tried after another one of the same name that rejects connections', async () => {
    const { port } = await http((_, response) => response.end());
    const addresses = ['127.0.0.3', '127.0.0.1'].map(addressOf);
    expect(await createSender({ addressesOf: async () => addresses }).send(hook(port))).toMatchObject({ ok: true });
  });

  it('that does not exist, cannot be resolved, or rejects connections is an error of its own', async () => {
    const closedPort = await freePort();
    expect(await createSender().send(hook(closedPort))).toEqual(failure('the connection was refused'));
    const none = createSender({ addressesOf: async () => [] });
    expect(await none.send(hook(80))).toEqual(failure('the name has no address'));
    const failing = createSender({ addressesOf: () => Promise.reject(new Error('too many callers wait for DNS')) });
    expect(await failing.send(hook(80))).toEqual(failure('the name could not be resolved'));
  });
});

describe('a connection', () => {
  const countRemotePorts = (seen: Set<number>) => (request: IncomingMessage, response: ServerResponse) => {
    seen.add(request.socket.remotePort ?? 0);
    response.end('ok');
  };

  it('is used again by the same team for the same address, and not by another team', async () => {
    const { port, counts } = await http((_, response) => response.end('ok'));
    const sender = createSender();
    for (let i = 0; i < 5; i += 1) expect(await sender.send(hook(port))).toMatchObject({ ok: true });
    expect(counts.connections).toBe(1);
    expect(await sender.send({ ...hook(port), teamId: 'other' })).toMatchObject({ ok: true });
    expect(counts.connections).toBe(2);
  });

  it('is replaced once if the receiver closed it while it was idle', async () => {
    const seen = new Set<number>();
    const server = await http(countRemotePorts(seen));
    const sender = createSender();
    expect(await sender.send(hook(server.port))).toMatchObject({ ok: true });
    // The receiver closes it when the next request arrives, before it reads that request.
    for (const socket of server.sockets) {
      socket.removeAllListeners('data').on('data', () => socket.resetAndDestroy());
    }
    expect(await sender.send(hook(server.port))).toMatchObject({ ok: true });
    expect(seen.size).toBe(2);
  });

  it('ends after an answer that the receiver sent too early', async () => {
    const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n';
    const server = await raw((socket) => socket.write(`${answer}aHTTP/1.1 201 Created\r\ncontent-length: 1\r\n\r\nb`));
    const sender = createSender();
    for (let i = 0; i < 2; i += 1) {
      expect(await sender.send(hook(server.port))).toMatchObject({ status: 200, responseBody: 'a' });
    }
    expect(server.counts.connections).toBe(2);
  });

  it('is one of at most 256 idle ones, and at most two of a team to a receiver', async () => {
    const held: ServerResponse[] = [];
    const server = await http((_, response) => held.push(response));
    const sender = createSender();
    const teams = [...Array.from({ length: 300 }, (_, i) => `team ${i}`), 'team 0', 'team 0'];
    const attempts = teams.map((teamId) => sender.send({ ...hook(server.port), teamId }));
    await expect.poll(() => held.length).toBe(teams.length);
    for (const response of held) response.end();
    await Promise.all(attempts);
    await expect.poll(() => server.sockets.size).toBe(256);
  });

  it('is closed by close', async () => {
    const server = await http((_, response) => response.end('ok'));
    const sender = createSender();
    await sender.send(hook(server.port));
    expect(server.sockets.size).toBe(1);
    sender.close();
    await allClosed(server);
  });
});
