/** The clients of token introspection in docs/tasks/gateways.md: real programs, with the documented configuration. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { freePort } from '../support/free-port.ts';
import { listening, startApplication } from './application.ts';
import { at, recipe } from './page.ts';
import { installed, startProgram } from './program.ts';

interface Started {
  readonly origin: string;
  /** Over HTTP/2 with prior knowledge; undefined if the program does not speak it. */
  readonly http2Origin?: string;
  readonly stop: () => Promise<void>;
}

interface Parts {
  /** As the document has it, with the addresses of a test. */
  readonly text: string;
  readonly token: string;
}

interface IntrospectionClient {
  /** The section of docs/tasks/gateways.md. */
  readonly title: string;
  /** The packages of Debian that are missing, or null. */
  readonly missing: string | null;
  /** The headers with the key's id and subject that the API behind it gets; null if the program is the API. */
  readonly told: readonly [id: string, subject: string] | null;
  /** Whether it sends the address of its own client. */
  readonly sendsSource: boolean;
  /** Its status for an active key over HTTP/2. */
  readonly http2Status: number;
  /** Its status for a key without a required scope, and without a verdict. */
  readonly statuses: readonly [scope: number, noVerdict: number];
  readonly start: (parts: Parts) => Promise<Started>;
}

const [apache, nginx] = [installed('apache2'), installed('nginx')];
const apacheModules = '/usr/lib/apache2/modules';
const nginxModules = '/usr/lib/nginx/modules';
/** Of Debian, which may be another one than that of the PATH. */
const python = '/usr/bin/python3';
const pythonPackages = spawnSync(python, ['-c', 'import authlib, flask, requests']);

const hasApache = apache !== undefined && existsSync(`${apacheModules}/mod_oauth2.so`);
const hasNginx = nginx !== undefined && existsSync(`${nginxModules}/ngx_http_lua_module.so`);

async function startApache({ text, token }: Parts): Promise<Started> {
  const port = await freePort();
  const modules = ['authn_core', 'authz_core', 'authz_user', 'headers', 'proxy', 'proxy_http', 'http2', 'oauth2'];
  const configuration = [
    ...['mpm_event', ...modules].map((name) => `LoadModule ${name}_module ${apacheModules}/mod_${name}.so`),
    ...[
      `Listen 127.0.0.1:${port}`,
      'PidFile httpd.pid',
      'ErrorLog error.log',
      'DefaultRuntimeDir .',
      'Protocols h2c http/1.1',
    ],
    ...['ServerName localhost', text.replace('<token>', encodeURIComponent(token))],
  ];
  const stop = await startProgram({
    path: apache ?? '',
    args: (directory) => ['-X', '-d', directory, '-f', `${directory}/httpd.conf`],
    files: () => ({ 'httpd.conf': configuration.join('\n') }),
    port,
  });
  const origin = `http://127.0.0.1:${port}`;
  return { origin, http2Origin: origin, stop };
}

async function startNginx({ text, token }: Parts): Promise<Started> {
  const [port, http2Port] = [await freePort(), await freePort()];
  const modules = ['ndk_http', 'ngx_http_lua'].map((name) => `load_module ${nginxModules}/${name}_module.so;`);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`);
  const configuration = `${modules.join(' ')} daemon off; master_process off; pid nginx.pid; error_log stderr;
    events {}
    http { access_log off; ${paths.join(' ')} server { listen 127.0.0.1:${port}; listen 127.0.0.1:${http2Port} http2; ${text.replace('<token>', token)} } }`;
  const stop = await startProgram({
    path: nginx ?? '',
    args: (directory) => ['-p', directory, '-e', 'stderr', '-c', `${directory}/nginx.conf`],
    files: () => ({ 'nginx.conf': configuration }),
    port,
  });
  return { origin: `http://127.0.0.1:${port}`, http2Origin: `http://127.0.0.1:${http2Port}`, stop };
}

async function startExpress({ text, token }: Parts): Promise<Started> {
  const environment = { LATCHKEY_VERIFIER_TOKEN: token };
  const { child, origin } = await startApplication(`${text}\n${listening.Express}`, environment);
  return { origin, stop: async () => void child.kill('SIGKILL') };
}

async function startFlask({ text, token }: Parts): Promise<Started> {
  const port = await freePort();
  const environment = `import os\nos.environ["LATCHKEY_VERIFIER_TOKEN"] = ${JSON.stringify(token)}\n`;
  const stop = await startProgram({
    path: python,
    args: () => ['app.py'],
    files: () => ({ 'app.py': `${environment}${text}\napp.run(host="127.0.0.1", port=${port})\n` }),
    port,
  });
  return { origin: `http://127.0.0.1:${port}`, stop };
}

export const introspectionClients: readonly IntrospectionClient[] = [
  {
    title: 'Introspection in Apache httpd',
    missing: hasApache ? null : 'apache2 and libapache2-mod-oauth2',
    told: ['x-latchkey-client_id', 'x-latchkey-sub'],
    sendsSource: false,
    http2Status: 200,
    statuses: [401, 401],
    start: startApache,
  },
  {
    title: 'Introspection in nginx',
    missing: hasNginx ? null : 'libnginx-mod-http-lua and lua-cjson',
    told: ['x-key-id', 'x-subject'],
    sendsSource: true,
    // ngx.location.capture does not support it.
    http2Status: 500,
    statuses: [403, 503],
    start: startNginx,
  },
  {
    title: 'Introspection in Node.js',
    missing: null,
    told: null,
    sendsSource: true,
    http2Status: 200,
    statuses: [403, 503],
    start: startExpress,
  },
  {
    title: 'Introspection in Python',
    missing: pythonPackages.status === 0 ? null : 'python3-authlib, python3-flask and python3-requests',
    told: null,
    sendsSource: true,
    http2Status: 200,
    statuses: [403, 503],
    start: startFlask,
  },
];

/** The documented configuration of a client, with the addresses of a test. */
export function documented({ title, told }: IntrospectionClient, latchkeyUrl: string, apiUrl: string): string {
  const addresses = {
    'http://127.0.0.1:4001': latchkeyUrl,
    ...(told === null ? {} : { 'http://127.0.0.1:3000': apiUrl }),
  };
  return at(recipe(title).text, addresses);
}
