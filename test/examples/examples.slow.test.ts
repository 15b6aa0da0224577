/** Each command of examples/README.md, with the calls that it prints, run as a reader runs them. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it, test } from 'vitest';
import { examples } from '../../examples/tour/examples.ts';
import { nginx } from '../recipes/nginx.ts';
import { at } from '../recipes/page.ts';
import { startProgram } from '../recipes/program.ts';
import { forgedIn, spoofedHeaders } from '../recipes/spoofed-headers.ts';
import { freePort } from '../support/free-port.ts';
import { listen, send, startGateway, stopListening } from '../support/gateway.ts';
import { childrenOf } from '../support/processes.ts';
import { pythonWith } from '../support/python.ts';

const run = promisify(execFile);
const commands = [...readFileSync('examples/README.md', 'utf8').matchAll(/^\| `npm run example -- (\w+)`/gm)].map(
  ([, name = '']) => name,
);
const missing: Readonly<Record<string, string | undefined>> = {
  nginx: nginx === undefined ? 'there is no nginx' : undefined,
  python: (await pythonWith()) === 'python3' ? undefined : 'python3 is not Python 3.11 or later',
};

let example: ChildProcess | undefined;
let errors = '';
afterEach(() => {
  example?.kill('SIGKILL');
});

/** Starts an example on free ports. Resolves to what it prints when everything is ready. */
async function start(name: string): Promise<string> {
  const variables = ['PORT', 'VERIFY_PORT', 'API_PORT', 'NGINX_PORT', 'EDGE_PORT'];
  const ports = await Promise.all(variables.map(async (variable) => [variable, String(await freePort())] as const));
  const child = spawn('node', ['examples/start.ts', name], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...Object.fromEntries(ports) },
    stdio: ['ignore', 'pipe', 'pipe'],
    // As at a terminal, with its programs as one group.
    detached: true,
  });
  example = child;
  errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  let output = '';
  for await (const chunk of child.stdout) {
    output += chunk;
    if (output.includes('Ctrl-C')) return output;
  }
  throw new Error(`the example ended: ${output}`);
}

/** The status of the answer of each call that is printed, and the bodies. */
async function call(printed: string): Promise<{ readonly statuses: readonly number[]; readonly output: string }> {
  const script = [...printed.matchAll(/^ {2}(.*)$/gm)].map(([, line]) => line).join('\n');
  const { stdout } = await run('sh', ['-c', `set -eu\ncurl() { command curl -s "$@"; echo; }\n${script}`]);
  return {
    statuses: [...stdout.matchAll(/^HTTP\/1\.[01] (\d+)/gm)].map(([, status]) => Number(status)),
    output: stdout,
  };
}

describe.each(commands)('npm run example -- %s', (name) => {
  const why = missing[name];
  if (why !== undefined) console.warn(`npm run example -- ${name} is not tested: ${why}`);

  it.skipIf(why !== undefined)(
    'answers a request with the key that it prints, rejects it from the next request on once the key is revoked, and leaves nothing behind',
    async () => {
      const { statuses, output } = await call(await start(name));
      expect(statuses).toEqual([200, 401]);
      expect(output).toContain('"keyId":');
      expect(output).toContain('{"ok":true}');
      const programs = childrenOf(example?.pid ?? 0);
      expect(programs.length).toBeGreaterThan(1);
      const exit = once(example as ChildProcess, 'exit');
      example?.kill('SIGTERM');
      expect(await exit).toEqual([0, null]);
      expect(programs.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
    },
  );

  it.skipIf(why !== undefined)('ends with 130 on Ctrl-C, and none of its programs says a word', async () => {
    await start(name);
    const exit = once(example as ChildProcess, 'exit');
    process.kill(-(example?.pid ?? 0), 'SIGINT');
    expect([await exit, errors]).toEqual([[130, null], '']);
  });
});

test.skipIf(nginx === undefined)(
  'behind examples/nginx, a client can set no header of Latchkey for the API',
  async () => {
    const gateway = await startGateway('sqlite');
    let arrived: IncomingHttpHeaders | undefined;
    const api = createServer(({ headers }, response) => {
      arrived = headers;
      response.end();
    });
    const apiUrl = await listen(api);
    const port = await freePort();
    const text = at(readFileSync('examples/nginx/nginx.conf', 'utf8'), {
      'http://127.0.0.1:4001': gateway.url,
      'http://127.0.0.1:3000': apiUrl,
      '127.0.0.1:8080': `127.0.0.1:${port}`,
    });
    const stop = await startProgram({
      path: nginx ?? '',
      args: (directory) => ['-p', directory, '-e', 'stderr', '-c', `${directory}/nginx.conf`],
      files: () => ({ 'nginx.conf': text }),
      port,
    });
    try {
      const { id, secret } = await gateway.issue();
      const headers = { ...spoofedHeaders, authorization: `Bearer ${secret}` };
      expect((await send(`http://127.0.0.1:${port}`, { elsewhere: true, headers })).status).toBe(200);
      expect([arrived?.['x-latchkey-key-id'], forgedIn(arrived ?? {})]).toEqual([id, []]);
      expect(arrived).not.toHaveProperty('authorization');
    } finally {
      await stop();
      await stopListening(api);
      await gateway.stop();
    }
  },
);

test('examples/README.md has the command of each example', () => {
  expect(commands).toEqual(Object.keys(examples));
});
