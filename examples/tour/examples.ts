/** The examples: which programs each one starts besides Latchkey, and where its API then is. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startEdge } from './latchkey.ts';
import type { Ports } from './ports.ts';
import { startProgram } from './program.ts';

interface Example {
  readonly title: string;
  /** Returns the URL of the API. */
  readonly start: (ports: Ports, directory: string) => Promise<string>;
}

export const examples: Readonly<Record<string, Example>> = {
  express: {
    title: 'An Express API that verifies keys in its own process',
    start: async ({ api, verification }) => {
      await startApi([process.execPath, 'examples/express/api.js'], api, verification);
      return urlOf(api);
    },
  },
  nginx: {
    title: 'An Express API behind nginx',
    start: async (ports, directory) => {
      await startApi([process.execPath, 'examples/nginx/api.js'], ports.api, ports.verification);
      await startNginx(ports, directory);
      return urlOf(ports.nginx);
    },
  },
  python: {
    title: 'A Python API behind an edge',
    start: async (ports) => {
      await startEdge(ports);
      await startApi(['python3', 'examples/python/api.py'], ports.api, ports.edge);
      return urlOf(ports.api);
    },
  },
};

function urlOf(port: number): string {
  return `http://127.0.0.1:${port}`;
}

async function startApi(command: readonly [string, ...string[]], port: number, verifyPort: number): Promise<void> {
  const environment = { API_PORT: String(port), LATCHKEY_VERIFY_URL: urlOf(verifyPort) };
  await startProgram({ command, environment, readyText: 'ready' });
}

/** With the ports of this run instead of those in the file. */
async function startNginx({ nginx, verification, api }: Ports, directory: string): Promise<void> {
  const folder = join(directory, 'nginx');
  const text = await readFile('examples/nginx/nginx.conf', 'utf8');
  const used: Readonly<Record<string, number>> = { '8080': nginx, '4001': verification, '3000': api };
  await mkdir(folder);
  await writeFile(
    join(folder, 'nginx.conf'),
    text.replaceAll(/(127\.0\.0\.1:)(\d+)/g, (_, host, port) => `${host}${used[port] ?? port}`),
  );
  const path = `${process.env.PATH}:/usr/sbin:/usr/local/sbin`;
  const command = ['nginx', '-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')] as const;
  await startProgram({ command: [...command], environment: { PATH: path } });
  await answers(urlOf(nginx));
}

async function answers(url: string): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (performance.now() < deadline) {
    if ((await fetch(url).catch(() => null)) !== null) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`${url} does not answer`);
}
