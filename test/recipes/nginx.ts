/** A real nginx, where there is one. */
import { freePort } from '../support/free-port.ts';
import { installed, startProgram } from './program.ts';
import type { RunningProxy } from './stand-in-proxy.ts';

export const nginx = installed('nginx');

export async function startNginx(locations: string, upstreams = ''): Promise<RunningProxy> {
  if (nginx === undefined) throw new Error('there is no nginx');
  const [port, http2Port] = [await freePort(), await freePort()];
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`);
  // One process, so that ending it ends everything.
  const text = `daemon off; master_process off; pid nginx.pid; error_log stderr;
    events {}
    http { access_log off; ${paths.join(' ')} ${upstreams} server { listen 127.0.0.1:${port}; listen 127.0.0.1:${http2Port} http2; ${locations} } }`;
  const stop = await startProgram({
    path: nginx,
    args: (directory) => ['-p', directory, '-e', 'stderr', '-c', `${directory}/nginx.conf`],
    files: () => ({ 'nginx.conf': text }),
    port,
  });
  return { origin: `http://127.0.0.1:${port}`, http2Origin: `http://127.0.0.1:${http2Port}`, stop };
}
