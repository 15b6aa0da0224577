/** A real Caddy, where there is one. */
import { freePort } from '../support/free-port.ts';
import { at } from './page.ts';
import { installed, startProgram } from './program.ts';
import type { RunningProxy } from './stand-in-proxy.ts';

export const caddy = installed('caddy');

/** Serves the site of a Caddyfile without TLS, over HTTP/1.1 and HTTP/2 with prior knowledge. */
export async function startCaddy(site: string): Promise<RunningProxy> {
  if (caddy === undefined) throw new Error('there is no Caddy');
  const port = await freePort();
  const options = '{\n\tadmin off\n\tservers {\n\t\tprotocols h1 h2c\n\t}\n}\n';
  const text = options + at(site, { 'api.example.com {': `http://api.example.com:${port} {\n\tbind 127.0.0.1` });
  const stop = await startProgram({
    path: caddy,
    args: () => ['run', '--config', 'Caddyfile', '--adapter', 'caddyfile'],
    files: () => ({ Caddyfile: text }),
    port,
  });
  return { origin: `http://127.0.0.1:${port}`, http2Origin: `http://127.0.0.1:${port}`, stop };
}
