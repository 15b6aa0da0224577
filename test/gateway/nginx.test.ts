/** A real nginx with `auth_request`, configured as the README says, between clients and an upstream. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signRequest } from '../../src/client/sign.ts';
import { listen, type RunningGateway, type Sent, send, startGateway, stopListening } from '../support/gateway.ts';

const directories = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
const nginx = directories.map((directory) => join(directory, 'nginx')).find((file) => existsSync(file));
if (nginx === undefined) {
  console.warn('test/gateway/nginx.test.ts is skipped: there is no nginx; Debian has it in the package nginx-light');
}

const test = it.skipIf(nginx === undefined);

interface UpstreamRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What reached the upstream since it was last asked. */
let arrived: UpstreamRequest[] = [];
const upstream = createServer(async (request, response) => {
  let body = '';
  for await (const part of request.setEncoding('utf8')) body += part;
  arrived.push({ method: request.method, url: request.url, headers: request.headers, body });
  response.end('from the upstream');
});

let gateway: RunningGateway;
let origin: string;
let directory: string;
let running: ChildProcess | undefined;

async function freePort(): Promise<number> {
  const server = createServer();
  const url = await listen(server);
  await stopListening(server);
  return Number(new URL(url).port);
}

/** The configuration of the README, with the addresses of this test. */
async function configuration(port: number, latchkey: string, api: string): Promise<string> {
  let locations = await readFile(new URL('nginx.conf', import.meta.url), 'utf8');
  for (const [written, here] of [
    ['http://127.0.0.1:4001', latchkey],
    ['http://127.0.0.1:3000', api],
    ['https://api.example.com', `http://127.0.0.1:${port}`],
  ] as const) {
    expect(locations.split(written), written).toHaveLength(2);
    locations = locations.replace(written, here);
  }
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`);
  // One process, whose end is the end of all.
  return `
    daemon off; master_process off; pid nginx.pid; error_log stderr;
    events {}
    http { access_log off; ${paths.join(' ')} server { listen 127.0.0.1:${port}; ${locations} } }
  `;
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function startNginx(binary: string): Promise<void> {
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  directory = await mkdtemp(join(tmpdir(), 'latchkey-nginx-'));
  const file = join(directory, 'nginx.conf');
  await writeFile(file, await configuration(port, gateway.url, await listen(upstream)));
  const child = spawn(binary, ['-p', directory, '-e', 'stderr', '-c', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  running = child;
  let complaints = '';
  child.stderr.on('data', (part) => {
    complaints += part;
  });
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`nginx has ended: ${complaints}`);
    await after(10);
  }
}

beforeAll(async () => {
  if (nginx === undefined) return;
  gateway = await startGateway('sqlite', { SOURCE_HEADER: 'X-Real-IP' });
  await startNginx(nginx);
});
afterAll(async () => {
  if (nginx === undefined) return;
  if (running?.exitCode === null && running.kill()) await once(running, 'exit');
  await stopListening(upstream);
  await gateway.stop();
  await rm(directory, { recursive: true });
});

/** The answer's status, and what the upstream saw of the request: nothing, where it was refused. */
async function request(key: string | null, { headers = {}, ...sent }: Sent = {}) {
  arrived = [];
  const authorization = key === null ? {} : { authorization: `Bearer ${key}` };
  const { status, headers: answered } = await send(origin, {
    elsewhere: true,
    ...sent,
    headers: { ...authorization, ...headers },
  });
  const [seen, ...more] = arrived;
  expect(more).toStrictEqual([]);
  return { status, challenge: answered['www-authenticate'], seen };
}

const denied = (status: number) => ({
  status,
  challenge: status === 401 ? 'Bearer' : undefined,
  seen: undefined,
});

describe('a client of an API behind nginx', () => {
  test('passes with a good key, and the upstream sees the request as it was sent, and whose key it is', async () => {
    const { id, secret } = await gateway.issue();
    const sent = { method: 'PUT', path: '/a/%2Fb//c?d=e', body: 'more than nginx keeps in memory '.repeat(10_000) };
    const { status, seen } = await request(secret, sent);
    expect(status).toBe(200);
    expect(seen).toMatchObject({ method: sent.method, url: sent.path, body: sent.body });
    expect(seen?.headers['x-latchkey-key-id']).toBe(id);
  });

  test('has a body for the upstream alone: Latchkey is asked without one, and none is announced to it', async () => {
    const { secret } = await gateway.issue();
    const latchkey = gateway.running.service.gateway;
    for (const framing of [{}, { 'transfer-encoding': 'chunked' }]) {
      const asked = new Promise<IncomingMessage>((resolve) => latchkey.once('request', resolve));
      expect((await request(secret, { method: 'POST', headers: framing, body: 'the body' })).seen?.body).toBe(
        'the body',
      );
      // Else, on a connection that is kept, the next question would be taken for the body.
      const { headers } = await asked;
      expect(headers).not.toHaveProperty('content-length');
      expect(headers).not.toHaveProperty('transfer-encoding');
    }
  });

  test('is refused without a key and with a wrong one', async () => {
    expect(await request(null)).toStrictEqual(denied(401));
    expect(await request('a.guess')).toStrictEqual(denied(401));
    const { secret } = await gateway.issue();
    expect(await request(`${secret}0`)).toStrictEqual(denied(401));
    expect(await request(null, { path: `/?key=${secret}` })).toStrictEqual(denied(401));
  });

  test('is refused from the very next request on when the key is revoked', async () => {
    const { id, secret } = await gateway.issue();
    for (let i = 0; i < 3; i++) expect((await request(secret)).status).toBe(200);
    await gateway.revoke(id);
    for (let i = 0; i < 3; i++) expect(await request(secret)).toStrictEqual(denied(401));
  });

  test('is refused with a key of another environment, whichever it asks for', async () => {
    const { secret } = await gateway.issue({ env: 'test' });
    expect(await request(secret)).toStrictEqual(denied(403));
    expect(await request(secret, { path: '/?env=test' })).toStrictEqual(denied(403));
  });

  test('is judged by the address that it really comes from', async () => {
    const here = await gateway.issue({ allowedIps: ['127.0.0.1'] });
    const elsewhere = await gateway.issue({ allowedIps: ['203.0.113.7'] });
    expect((await request(here.secret)).status).toBe(200);
    expect(await request(elsewhere.secret)).toStrictEqual(denied(403));
  });

  test('can\u2019t say itself where it comes from', async () => {
    const here = await gateway.issue({ allowedIps: ['127.0.0.1'] });
    const elsewhere = await gateway.issue({ allowedIps: ['203.0.113.7'] });
    for (const claim of ['203.0.113.7', ['203.0.113.7', '203.0.113.7']]) {
      const headers = { 'x-real-ip': claim, 'x-forwarded-for': claim, x_real_ip: claim };
      expect((await request(here.secret, { headers })).status).toBe(200);
      expect(await request(elsewhere.secret, { headers })).toStrictEqual(denied(403));
    }
  });

  test('can\u2019t say itself whose key it is', async () => {
    const { id, secret } = await gateway.issue();
    const names = ['x-latchkey-key-id', 'x-latchkey-team-id', 'x-latchkey-env', 'x_latchkey_key_id'];
    const headers = Object.fromEntries(names.map((name) => [name, ['forged', 'forged twice']]));
    const { status, seen } = await request(secret, { headers });
    expect(status).toBe(200);
    const told = Object.entries(seen?.headers ?? {}).filter(([name]) => /latchkey/.test(name));
    expect(told).toStrictEqual([['x-latchkey-key-id', id]]);
    expect(await request(null, { headers })).toStrictEqual(denied(401));
  });

  test('can\u2019t ask Latchkey itself', async () => {
    const { secret } = await gateway.issue();
    expect(await request(secret, { path: '/_latchkey' })).toStrictEqual(denied(404));
  });
});

describe('a client that signs, of an API behind nginx', () => {
  async function signing() {
    const { id, secret, signingSecret } = await gateway.issueSigning();
    const sign = (method: string, path: string, body?: string, site = origin) => ({
      ...signRequest(
        { method, url: site + path, ...(body === undefined ? {} : { body }) },
        { keyId: id, signingSecret },
      ),
    });
    return { secret, sign };
  }

  test('passes once; a replay is refused, and so is a request without a signature', async () => {
    const { secret, sign } = await signing();
    const headers = sign('GET', '/orders?page=2');
    expect((await request(secret, { path: '/orders?page=2', headers })).status).toBe(200);
    expect(await request(secret, { path: '/orders?page=2', headers })).toStrictEqual(denied(401));
    expect(await request(secret, { path: '/orders?page=2' })).toStrictEqual(denied(401));
  });

  test('passes with a signed body, which the upstream gets, however its length is told', async () => {
    const { secret, sign } = await signing();
    const body = '{"amount":1}';
    for (const framing of [{}, { 'transfer-encoding': 'chunked' }]) {
      const headers = { ...sign('POST', '/orders', body), ...framing };
      const { status, seen } = await request(secret, { method: 'POST', path: '/orders', headers, body });
      expect({ status, body: seen?.body }).toStrictEqual({ status: 200, body });
    }
  });

  test('is refused where a captured signature is sent with another method, path, host, or a body', async () => {
    const { secret, sign } = await signing();
    const signed = () => sign('POST', '/a');
    const path = '/a';
    const method = 'POST';
    expect(await request(secret, { method: 'PUT', path, headers: signed() })).toStrictEqual(denied(401));
    expect(await request(secret, { method, path: '/b', headers: signed() })).toStrictEqual(denied(401));
    expect(await request(secret, { method, path: '/a?b', headers: signed() })).toStrictEqual(denied(401));
    expect(await request(secret, { method, path, headers: signed(), body: 'more' })).toStrictEqual(denied(401));
    const chunked = { ...signed(), 'transfer-encoding': 'chunked' };
    expect(await request(secret, { method, path, headers: chunked, body: 'more' })).toStrictEqual(denied(401));
    // Made for another site, whose name the request carries along.
    const elsewhere = { ...sign('POST', '/a', undefined, 'http://other.example'), host: 'other.example' };
    expect(await request(secret, { method, path, headers: elsewhere })).toStrictEqual(denied(401));
    expect((await request(secret, { method, path, headers: signed() })).status).toBe(200);
  });

  test('can\u2019t say itself what it asked for', async () => {
    const { secret, sign } = await signing();
    const captured = sign('GET', '/a');
    const claims = {
      'x-original-method': 'GET',
      'x-original-url': `${origin}/a`,
      'x-original-content-length': '0',
      'x-original-transfer-encoding': '',
      'x-forwarded-method': 'GET',
      'x-forwarded-proto': 'http',
      'x-forwarded-host': new URL(origin).host,
      'x-forwarded-uri': '/a',
    };
    const headers = { ...captured, ...claims };
    expect(await request(secret, { path: '/b', headers })).toStrictEqual(denied(401));
    expect(await request(secret, { path: '/a', method: 'PUT', headers, body: 'more' })).toStrictEqual(denied(401));
    // What it claims does not spoil an honest request either: there was no body.
    const claimed = { ...captured, ...claims, 'x-original-content-length': '5', 'x-original-url': `${origin}/b` };
    expect((await request(secret, { path: '/a', headers: claimed })).status).toBe(200);
  });
});

describe('when nobody can say whether a key is good', () => {
  // In this order, and last: nothing works after them.
  test('nothing passes while the store can\u2019t be asked', async () => {
    const { secret } = await gateway.issue();
    expect((await request(secret)).status).toBe(200);
    await gateway.running.service.close();
    expect(await request(secret)).toStrictEqual(denied(500));
  });

  test('nothing passes while Latchkey is away', async () => {
    await stopListening(gateway.running.service.gateway);
    expect(await request('a.guess')).toStrictEqual(denied(500));
  });
});
