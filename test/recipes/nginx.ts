/** A real nginx, where there is one. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { freePort } from '../support/free-port.ts';
import type { RunningProxy } from './stand-in-proxy.ts';

const directories = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
export const nginx = directories.map((directory) => join(directory, 'nginx')).find((file) => existsSync(file));

export async function startNginx(locations: string, upstreams = ''): Promise<RunningProxy> {
  if (nginx === undefined) throw new Error('there is no nginx');
  const [port, http2Port] = [await freePort(), await freePort()];
  const directory = await mkdtemp(join(tmpdir(), 'latchkey-nginx-'));
  const file = join(directory, 'nginx.conf');
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`);
  // One process, so that ending it ends everything.
  await writeFile(
    file,
    `daemon off; master_process off; pid nginx.pid; error_log stderr;
    events {}
    http { access_log off; ${paths.join(' ')} ${upstreams} server { listen 127.0.0.1:${port}; listen 127.0.0.1:${http2Port} http2; ${locations} } }`,
  );
  const child = spawn(nginx, ['-p', directory, '-e', 'stderr', '-c', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let complaints = '';
  child.stderr.on('data', (part) => {
    complaints += part;
  });
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`nginx has ended: ${complaints}`);
    await after(10);
  }
  return {
    origin: `http://127.0.0.1:${port}`,
    http2Origin: `http://127.0.0.1:${http2Port}`,
    stop: async () => {
      if (child.exitCode === null && child.kill()) await once(child, 'exit');
      await rm(directory, { recursive: true });
    },
  };
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
