/** A real Apache httpd with mod_lua and LuaSocket, where there is one. */
import { existsSync } from 'node:fs';
import { freePort } from '../support/free-port.ts';
import { at, nextFile } from './page.ts';
import { installed, startProgram } from './program.ts';
import type { RunningProxy } from './stand-in-proxy.ts';

const modules = '/usr/lib/apache2/modules';
const hasLua = existsSync(`${modules}/mod_lua.so`) && existsSync('/usr/share/lua/5.3/socket/http.lua');
export const apache = hasLua ? installed('apache2') : undefined;

const loaded = ['mpm_event', 'authz_core', 'proxy', 'proxy_http', 'http2', 'lua'];

export async function startApache(blocks: string): Promise<RunningProxy> {
  if (apache === undefined) throw new Error('there is no Apache httpd');
  const port = await freePort();
  const [host = '', hook = ''] = blocks.split(nextFile);
  const stop = await startProgram({
    path: apache,
    args: (directory) => ['-X', '-d', directory, '-f', `${directory}/httpd.conf`],
    files: (directory) => ({
      'latchkey.lua': hook,
      'httpd.conf': [
        ...loaded.map((name) => `LoadModule ${name}_module ${modules}/mod_${name}.so`),
        ...[`Listen 127.0.0.1:${port}`, 'Protocols h2c http/1.1', 'PidFile httpd.pid', 'ErrorLog error.log'],
        ...['DefaultRuntimeDir .', 'ServerName localhost'],
        at(host, { '*:80': `127.0.0.1:${port}`, '/etc/apache2/latchkey.lua': `${directory}/latchkey.lua` }),
      ].join('\n'),
    }),
    port,
  });
  return { origin: `http://127.0.0.1:${port}`, http2Origin: `http://127.0.0.1:${port}`, stop };
}
