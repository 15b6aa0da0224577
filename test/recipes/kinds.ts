/** The gateways of docs/tasks/gateways.md, and how each one differs from the others. */
import { apache, startApache } from './apache.ts';
import { caddy, startCaddy } from './caddy.ts';
import { startEnvoy } from './envoy.ts';
import { haproxy, startHaproxy } from './haproxy.ts';
import { nginx, startNginx } from './nginx.ts';
import { recipe } from './page.ts';
import type { RunningProxy } from './stand-in-proxy.ts';
import { startTraefik } from './traefik.ts';

/** How a request can be sent. */
export type Way = 'HTTP/1.1' | 'HTTP/1.1, chunked' | 'HTTP/2, with a length' | 'HTTP/2';

export interface Outcome {
  readonly status: number;
  /** Those that the API got. */
  readonly bodies: readonly string[];
}

export const rejected: Outcome = { status: 401, bodies: [] };

/** Exceptions. */
export type Ways = Partial<Record<Way, Outcome>>;

export interface Kind {
  readonly title: string;
  readonly absent: boolean;
  /** Debian's packages with the program; null for a stand-in. */
  readonly packages: string | null;
  readonly start: (configuration: string) => Promise<RunningProxy>;
  /** As the recipe writes where Latchkey and the API are. */
  readonly addresses: (latchkeyPort: string, apiPort: string) => Readonly<Record<string, string>>;
  /** Of Latchkey's headers, those that the API gets. */
  readonly told: readonly string[];
  /** To a request for another host than the API's. */
  readonly otherHost: number;
  /** While the store does not answer, and while Latchkey is away. */
  readonly without: readonly [store: number, latchkey: number];
  /** Whether signed requests without a body pass where no API compares bodies. */
  readonly tellsOfBodies: boolean;
  /** What is different for signed requests with a body, with a body that was not signed, and without a body. */
  readonly ways: { readonly someBody?: Ways; readonly addedBody?: Ways; readonly noBody?: Ways };
  /** The bytes of the lines of large headers, and of a URL, that it accepts without further configuration. */
  readonly accepts: { readonly cookies: readonly number[]; readonly url: number };
  /** The timeouts of calls to Latchkey as the recipe writes them, with short ones. */
  readonly timeouts: Readonly<Record<string, string>>;
  /** Whether it passes on upgrades to WebSockets. */
  readonly upgrades: boolean;
  readonly withToken: (configuration: string, token: string) => string;
}

const told = ['code', 'env', 'external-id', 'key-id', 'scopes', 'team-id'].map((name) => `x-latchkey-${name}`);
/** Those that the recipes for newer gateways name. */
const chosen = ['x-latchkey-external-id', 'x-latchkey-key-id', 'x-latchkey-scopes'];
const plainAddresses: Kind['addresses'] = (latchkey, api) => ({
  '127.0.0.1:4001': `127.0.0.1:${latchkey}`,
  '127.0.0.1:3000': `127.0.0.1:${api}`,
});

/** Caddy can't tell whether Content-Length is missing because there is no body, and does not forward what it can't tell. */
const lengthRequired: Outcome = { status: 411, bodies: [] };
const caddyWithoutLength: Ways = { 'HTTP/1.1, chunked': lengthRequired, 'HTTP/2': lengthRequired };

export const kinds: readonly Kind[] = [
  {
    title: 'nginx',
    accepts: { cookies: [5800, 5800, 5800], url: 7500 },
    absent: nginx === undefined,
    start: startNginx,
    addresses: plainAddresses,
    told: ['x-latchkey-key-id'],
    otherHost: 401,
    without: [503, 503],
    tellsOfBodies: true,
    ways: {
      // nginx can't say that there is an unannounced body, so it takes it away.
      addedBody: { 'HTTP/2': { status: 200, bodies: [''] } },
      // nginx can't know whether a chunked body is empty.
      noBody: { 'HTTP/1.1, chunked': rejected },
    },
    packages: 'nginx-light',
    timeouts: { 'proxy_read_timeout 5s': 'proxy_read_timeout 300ms' },
    upgrades: false,
    withToken: (configuration, token) =>
      configuration.replace('internal;', `internal; ${command('nginx', 'proxy_set_header', token)}`),
  },
  {
    title: 'Traefik',
    accepts: { cookies: [5800], url: 7500 },
    absent: false,
    start: startTraefik,
    addresses: plainAddresses,
    told,
    otherHost: 404,
    without: [503, 500],
    tellsOfBodies: false,
    ways: {},
    packages: null,
    timeouts: {},
    upgrades: false,
    withToken: (configuration, token) =>
      configuration
        .replace('[latchkey]', '[token, latchkey]')
        .replace('[Authorization', '[X-Latchkey-Verifier, Authorization')
        .replace(
          '  middlewares:\n',
          `$&    token: { headers: { customRequestHeaders: { X-Latchkey-Verifier: ${token} } } }\n`,
        ),
  },
  {
    title: 'Envoy',
    accepts: { cookies: [5800], url: 7500 },
    absent: false,
    start: startEnvoy,
    addresses: (latchkey, api) => ({
      'port_value: 4001': `port_value: ${latchkey}`,
      'port_value: 3000': `port_value: ${api}`,
    }),
    told,
    otherHost: 404,
    without: [503, 503],
    tellsOfBodies: true,
    ways: {},
    packages: null,
    timeouts: {},
    upgrades: false,
    withToken: (configuration, token) =>
      configuration.replace(/( +)http_service:\n/, `$&$1  ${command('Envoy', 'authorization_request', token)}\n`),
  },
  {
    title: 'Caddy',
    accepts: { cookies: [17_400], url: 9000 },
    absent: caddy === undefined,
    start: startCaddy,
    addresses: plainAddresses,
    told: chosen,
    otherHost: 200,
    without: [503, 503],
    tellsOfBodies: true,
    ways: { someBody: caddyWithoutLength, addedBody: caddyWithoutLength },
    packages: 'caddy',
    timeouts: { 'response_header_timeout 5s': 'response_header_timeout 300ms' },
    upgrades: true,
    withToken: (configuration, token) =>
      configuration.replace('header_up', `${command('Caddy', 'header_up', token)}\n$&`),
  },
  {
    title: 'HAProxy',
    accepts: { cookies: [7500], url: 7500 },
    absent: haproxy === undefined,
    start: startHaproxy,
    addresses: plainAddresses,
    told: chosen,
    otherHost: 401,
    without: [503, 503],
    tellsOfBodies: true,
    ways: {},
    packages: 'haproxy',
    timeouts: { 'timeout = 5000': 'timeout = 300' },
    upgrades: true,
    withToken: (configuration, token) =>
      configuration.replace('local sent = {', `$& ${command('HAProxy', '\\[.x-latchkey', token)}`),
  },
  {
    title: 'Apache httpd',
    accepts: { cookies: [7500], url: 7500 },
    absent: apache === undefined,
    start: startApache,
    addresses: plainAddresses,
    told: chosen,
    otherHost: 401,
    without: [503, 503],
    tellsOfBodies: true,
    // Nor can Apache httpd.
    ways: { noBody: { 'HTTP/1.1, chunked': rejected } },
    packages: 'apache2 and lua-socket',
    timeouts: { 'TIMEOUT = 5': 'TIMEOUT = 0.3' },
    upgrades: true,
    withToken: (configuration, token) =>
      configuration.replace('local sent = {', `$& ${command('Apache httpd', '\\[.x-latchkey', token)}`),
  },
];

/** Says which gateways are not run. */
export function warnOfAbsent(): void {
  for (const { title, absent, packages } of kinds) {
    if (absent) console.warn(`The recipe for ${title} is not run: it is not installed; Debian has it in ${packages}`);
  }
}

/** Returns the directives that the text of a recipe says to add. */
function command(title: string, start: string, token = ''): string {
  const [, text] = new RegExp(`\`(${start}[^\`]*)\``).exec(recipe(title).prose) ?? [];
  if (text === undefined) throw new Error(`the recipe for ${title} says nothing of ${start}`);
  return text.replace('<token>', token);
}
