/** Starts the APIs of docs/start/quickstarts.md, as a reader does, in front of a verification port of the test. */
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { freePort } from '../support/free-port.ts';
import { listen, send, stopListening } from '../support/gateway.ts';
import { buildGoProgram, whyNoGo } from '../support/go.ts';
import { until } from '../support/instance.ts';
import { pythonWith } from '../support/python.ts';
import { nginx, startNginx } from './nginx.ts';
import { at } from './page.ts';
import { forgedIn } from './spoofed-headers.ts';

export const document = 'docs/start/quickstarts.md';
const apiPort = '3000';
export const verificationPort = '127.0.0.1:4001';

export interface Api {
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
export const quickstarts: Readonly<Record<string, Quickstart>> = {
  Express: { start: (text) => startProgram(text, nodeCommand) },
  Fastify: { start: (text) => startProgram(text, nodeCommand) },
  Hono: { start: (text) => startProgram(text, typeScriptCommand) },
  'Next.js': { start: (text) => startProgram(`${text}\n${routeServer}`, typeScriptCommand) },
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
const typeScriptCommand: CommandOf = (text) => ['node', '--input-type=module-typescript', '-e', text];

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
    const unexpected = ['authorization'].filter((name) => name in headers).concat(forgedIn(headers));
    if (unexpected.length > 0) response.writeHead(500);
    response.end(JSON.stringify({ keyId: headers['x-latchkey-key-id'], orders: [] }));
  });
  const api = new URL(await listen(server));
  const { origin, stop } = await startNginx(at(text, { [apiPort]: api.port }));
  return { origin, stop: async () => [await stop(), await stopListening(server)] };
}
