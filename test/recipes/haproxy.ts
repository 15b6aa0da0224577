/** A real HAProxy, where there is one. */
import { freePort } from '../support/free-port.ts';
import { at, nextFile } from './page.ts';
import { installed, startProgram } from './program.ts';
import type { RunningProxy } from './stand-in-proxy.ts';

export const haproxy = installed('haproxy');

/** One port takes HTTP/1.1 and HTTP/2 with prior knowledge. */
export async function startHaproxy(blocks: string): Promise<RunningProxy> {
  if (haproxy === undefined) throw new Error('there is no HAProxy');
  const [configuration = '', action = ''] = blocks.split(nextFile);
  const port = await freePort();
  const stop = await startProgram({
    path: haproxy,
    args: () => ['-db', '-f', 'haproxy.cfg'],
    files: (directory) => ({
      'latchkey.lua': action,
      'haproxy.cfg': at(configuration, {
        '/etc/haproxy/latchkey.lua': `${directory}/latchkey.lua`,
        'bind :80': `bind 127.0.0.1:${port}`,
      }),
    }),
    port,
  });
  return { origin: `http://127.0.0.1:${port}`, http2Origin: `http://127.0.0.1:${port}`, stop };
}
