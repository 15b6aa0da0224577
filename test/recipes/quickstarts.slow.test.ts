/** The examples of docs/quickstarts.md: each one runs as it is written, in front of a real verification port. */
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { signRequest } from '../../src/client/sign.ts';
import { blockOf, sectionsOf } from '../support/documents.ts';
import { freePort } from '../support/free-port.ts';
import { listen, send, sharedGateway, stopListening } from '../support/gateway.ts';
import { buildGoProgram, removeGoPrograms, whyNoGo } from '../support/go.ts';
import { until } from '../support/instance.ts';
import { pythonWith } from '../support/python.ts';
import { nginx, startNginx } from './nginx.ts';
import { at } from './page.ts';

const document = 'docs/quickstarts.md';
const apiPort = '3000';
const verificationPort = '127.0.0.1:4001';

interface Api {
  readonly origin: string;
  readonly stop: () => unknown;
}

interface Quickstart {
  /** Why it cannot run here. */
  readonly missing?: string | undefined;
  /** Starts the example, whose text has the address of this test's verification port. */
  readonly start: (text: string) => Promise<Api>;
}

const python = await pythonWith('fastapi', 'uvicorn');
/** Replaces the installation of the client. */
const findClient = "import sys; sys.path.insert(0, 'clients/python/src')";

/** By section of the document: 'Express', 'Fastify', 'Hono', 'Next.js', 'FastAPI', 'Go', 'nginx'. */
const quickstarts: Readonly<Record<string, Quickstart>> = {
  Express: { start: (text) => startProgram(text, nodeCommand) },
  Fastify: { start: (text) => startProgram(text, nodeCommand) },
  Hono: { start: (text) => startProgram(text, nodeCommand) },
  'Next.js': {
    start: (text) =>
      startProgram(`${text}\n${routeServer}`, (program) => ['node', '--input-type=module-typescript', '-e', program]),
  },
  FastAPI: {
    missing: python === undefined ? 'there is no python3 with fastapi and uvicorn' : undefined,
    start: (text) => startProgram(text, (program) => [python ?? '', '-c', `${findClient}\n${program}`]),
  },
  Go: { missing: whyNoGo, start: (text) => startProgram(text, async (program) => [await buildGoProgram(program)]) },
  nginx: { missing: nginx === undefined ? 'there is no nginx' : undefined, start: startBehindNginx },
};

/** Calls a route handler as Next.js does: with a web standard `Request`. */
const routeServer = `
import { createServer } from 'node:http';
createServer(async ({ url, headers }, response) => {
  const answer = await GET(new Request('http://localhost:3000' + url, { headers: headers as Record<string, string> }));
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
}).listen(3000);`;

/** Returns the command that runs a program. */
type CommandOf = (text: string) => readonly string[] | Promise<readonly string[]>;
const nodeCommand: CommandOf = (text) => ['node', '--input-type=module', '-e', text];

/** Starts a program that listens on port 3000, on a free port instead. */
async function startProgram(text: string, commandOf: CommandOf): Promise<Api> {
  const port = await freePort();
  const [command = '', ...args] = await commandOf(at(text, { [apiPort]: String(port) }));
  const child = spawn(command, args, {
    env: { PATH: process.env.PATH, NODE_ENV: 'production' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const origin = `http://127.0.0.1:${port}`;
  await until(`${command} answers`, () => {
    if (child.exitCode !== null) throw new Error(`the example has ended with ${child.exitCode}`);
    return answers(origin);
  });
  return { origin, stop: () => child.kill('SIGKILL') };
}

function answers(origin: string): Promise<boolean> {
  return send(origin, { path: '/', elsewhere: true }).then(
    () => true,
    () => false,
  );
}

async function startBehindNginx(text: string): Promise<Api> {
  const server = createServer(({ headers }, response) => {
    expect(headers).not.toHaveProperty('authorization');
    response.end(JSON.stringify({ keyId: headers['x-latchkey-key-id'], orders: [] }));
  });
  const api = new URL(await listen(server));
  const { origin, stop } = await startNginx(at(text, { [apiPort]: api.port }));
  return { origin, stop: async () => [await stop(), await stopListening(server)] };
}

test('every example is run, and has at most 25 lines', () => {
  const examples = sectionsOf(document).filter(({ title, blocks }) => title !== '' && blocks.length > 0);
  expect(examples.map(({ title }) => title).sort()).toEqual([...Object.keys(quickstarts), 'Envoy'].sort());
  const long = examples.filter(({ blocks }) => blocks.some(({ text }) => text.trimEnd().split('\n').length > 25));
  expect(long.map(({ title }) => title)).toEqual([]);
});

test('the quickstart for Envoy has the parts of the configuration that envoy-grpc.test.ts runs', () => {
  const { static_resources: whole } = parse(blockOf('docs/gateways/envoy.md', 'Envoy over gRPC'));
  const { http_filters: filters, route_config: routes } = whole.listeners[0].filter_chains[0].filters[0].typed_config;
  expect(parse(blockOf(document, 'Envoy'))).toEqual({
    http_filters: [filters[0]],
    clusters: [whole.clusters[1]],
    typed_per_filter_config: routes.virtual_hosts[0].routes[0].typed_per_filter_config,
  });
});

for (const [title, { missing }] of Object.entries(quickstarts)) {
  if (missing !== undefined) console.warn(`The quickstart for ${title} is not run: ${missing}`);
}
const runnable = Object.entries(quickstarts).filter(([, { missing }]) => missing === undefined);

describe.each(runnable)('the quickstart for %s', (title, { start }) => {
  const gateway = sharedGateway('sqlite');
  let api: Api | undefined;
  beforeAll(async () => {
    const verify = gateway.url.replace('http://', '');
    api = await start(at(blockOf(document, title), { [verificationPort]: verify }));
  });
  afterAll(async () => {
    await api?.stop();
    await removeGoPrograms();
  });

  async function order(key: string | null) {
    const headers = key === null ? {} : { authorization: `Bearer ${key}` };
    const { status, body } = await send(api?.origin ?? '', { path: '/orders', headers, elsewhere: true });
    return { status, keyId: status === 200 ? JSON.parse(body).keyId : null };
  }

  it('accepts a valid key, and rejects none, a test key and a revoked one from the next request on', async () => {
    const { id, secret } = await gateway.issue();
    expect(await order(secret)).toEqual({ status: 200, keyId: id });
    expect(await order(null)).toEqual({ status: 401, keyId: null });
    expect(await order((await gateway.issue({ env: 'test' })).secret)).toEqual({ status: 403, keyId: null });
    await gateway.revoke(id);
    expect(await order(secret)).toEqual({ status: 401, keyId: null });
  });

  it('rejects a signature for another URL, whatever the client reports', async () => {
    const { id, secret, signingSecret } = await gateway.issueSigning();
    const url = 'https://elsewhere.example/';
    const signature = signRequest({ method: 'GET', url }, { keyId: id, signingSecret });
    const reported = { 'x-original-method': 'GET', 'x-original-url': url, 'x-original-content-length': '0' };
    const headers = { authorization: `Bearer ${secret}`, ...signature, ...reported };
    expect((await send(api?.origin ?? '', { path: '/orders', headers, elsewhere: true })).status).toBe(401);
  });

  // Last: nothing works afterwards.
  it('answers 503 while Latchkey cannot be reached', async () => {
    const { secret } = await gateway.issue();
    expect((await order(secret)).status).toBe(200);
    await stopListening(gateway.running.service.gateway);
    expect(await order(secret)).toEqual({ status: 503, keyId: null });
  });
});
