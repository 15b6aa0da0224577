// SECURITY.md: A log or a trace; A key
/** An API whose clients send keys elsewhere than in Authorization: Bearer, behind each gateway. */
import { createHash, randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { signRequest } from '../../src/client/sign.ts';
import { importKeys } from '../../src/manage/change/import-keys.ts';
import { sectionOf, tableRows } from '../support/documents.ts';
import { listen, type RunningGateway, send, startGateway, stopListening } from '../support/gateway.ts';
import { callerOf, importing } from '../support/service.ts';
import { caddy, startCaddy } from './caddy.ts';
import { type Kind, kinds, warnOfAbsent } from './kinds.ts';
import { nginx, startNginx } from './nginx.ts';
import { at, nextFile, recipe, variablesOf } from './page.ts';
import type { RunningProxy } from './stand-in-proxy.ts';

warnOfAbsent();

const behindNginx = kinds.find(({ title }) => title === 'nginx') ?? expect.fail('there is no recipe for nginx');
const page = recipe('Where the key is');
/** The rows of the table with the changes for a header: what the examples have, and what to write. */
const changes = tableRows(page.prose)
  .filter((cells) => cells.length === 3)
  .map(([gateway = '', from = '', to = '']) => ({ gateway, from: codeIn(from), to: codeIn(to) }));

function codeIn(cell: string): string {
  const [, code] = /`([^`]+)`/.exec(cell) ?? [];
  return code ?? expect.fail(`the cell ${cell} has no code`);
}

/** Makes the changes of the page for a gateway, with another header. */
function changed(title: string, header: string): string {
  const own = changes.filter(({ gateway }) => gateway.startsWith(title));
  expect(own).not.toEqual([]);
  let text = recipe(title).blocks.join(nextFile);
  for (const { from, to: written } of own) {
    const variable = header.toLowerCase().replaceAll('-', '_');
    const to = written
      .replace('$http_x_api_key', `$http_${variable}`)
      .replace('x.api.key', variable.replaceAll('_', '.'))
      .replace('X-API-Key', header)
      .replace('x-api-key', header.toLowerCase());
    expect(text).toContain(from);
    const isAdded = title === 'Envoy';
    text = isAdded ? text.replace(/( +)- \{ exact: signature \}\n/, `$1${to}\n$&`) : text.replaceAll(from, () => to);
  }
  return text;
}

interface Place {
  readonly locations: string;
  /** The header that the configuration of the gateway is changed for; null if the example needs no change. */
  readonly header: string | null;
  readonly write: (key: string) => OutgoingHttpHeaders;
  readonly challenge: string;
}

const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString('base64')}`;
const places: readonly Place[] = [
  {
    locations: 'authorization',
    header: null,
    write: (key) => ({ authorization: `Bearer ${key}` }),
    challenge: 'Bearer',
  },
  {
    locations: 'header:x-api-key',
    header: 'X-API-Key',
    write: (key) => ({ 'X-API-Key': key }),
    challenge: 'ApiKey header="x-api-key"',
  },
  {
    locations: 'header:shop-token',
    header: 'Shop-Token',
    write: (key) => ({ 'shop-token': key }),
    challenge: 'ApiKey header="shop-token"',
  },
  {
    locations: 'basic',
    header: null,
    write: (key) => ({ authorization: basic(`${key}:`) }),
    challenge: 'Basic realm="API key"',
  },
];

const host = 'api.example.com';
const portOf = (url: string) => new URL(url).port;

/** What reached the API since the last request. */
let arrived: IncomingHttpHeaders[] = [];
const api = createServer((request, response) => {
  arrived.push(request.headers);
  response.end('from the API');
});
let apiUrl: string;
beforeAll(async () => {
  apiUrl = await listen(api);
});
afterAll(() => stopListening(api));
beforeEach(() => {
  arrived = [];
});

function startProxy(kind: Kind, { header }: Place, to: RunningGateway, behind = apiUrl): Promise<RunningProxy> {
  const text = header === null ? recipe(kind.title).blocks.join(nextFile) : changed(kind.title, header);
  return kind.start(at(text, kind.addresses(portOf(to.url), portOf(behind))));
}

async function ask({ origin }: RunningProxy, headers: OutgoingHttpHeaders, path = '/') {
  arrived = [];
  const answer = await send(origin, { elsewhere: true, path, headers: { host, ...headers } });
  return { status: answer.status, challenge: answer.headers['www-authenticate'] };
}

/** The texts of a key that must not reach the API. */
const tracesOf = (key: string) => [key, basic(`${key}:`).slice('Basic '.length)];

describe.each(kinds)('behind $title', (kind) => {
  const test = it.skipIf(kind.absent);

  describe.each(places)('with KEY_LOCATIONS=$locations', (place) => {
    let gateway: RunningGateway;
    let proxy: RunningProxy;
    beforeAll(async () => {
      if (kind.absent) return;
      const { environment } = recipe(kind.title);
      gateway = await startGateway('sqlite', { ...environment, KEY_LOCATIONS: place.locations });
      proxy = await startProxy(kind, place, gateway);
    });
    afterAll(async () => {
      await proxy?.stop();
      await gateway?.stop();
    });

    test('the API gets the id of the key, and never the key', async () => {
      const { id, secret } = await gateway.issue();
      for (const more of [{}, { signature: 'x', 'signature-input': 'x' }]) {
        expect(await ask(proxy, { ...place.write(secret), ...more })).toMatchObject({ status: 200 });
        expect(arrived).toMatchObject([{ 'x-latchkey-key-id': id }]);
        for (const text of tracesOf(secret)) expect(JSON.stringify(arrived)).not.toContain(text);
      }
    });

    test('a key elsewhere, another key and a revoked key are rejected, and the client learns where to send it', async () => {
      const { id, secret } = await gateway.issue();
      const rejected = { status: 401, challenge: place.challenge };
      expect(await ask(proxy, {}, `/?key=${secret}`)).toEqual(rejected);
      expect(await ask(proxy, place.write(`${secret}0`))).toEqual(rejected);
      for (const other of places.filter((one) => one !== place)) {
        expect(await ask(proxy, other.write(secret))).toEqual(rejected);
      }
      expect((await ask(proxy, place.write(secret))).status).toBe(200);
      await gateway.revoke(id);
      expect(await ask(proxy, place.write(secret))).toEqual(rejected);
      expect(arrived).toEqual([]);
    });

    test('whatever else looks like the header with the key, no key reaches the API', async () => {
      const [one, two] = [await gateway.issue(), await gateway.issue()];
      const [[name = '', value] = []] = Object.entries(place.write(one.secret));
      const [[, other] = []] = Object.entries(place.write(two.secret));
      for (const headers of [
        { [name]: [String(value), String(other)] },
        { [name]: String(value), [name.replaceAll('-', '_').toUpperCase()]: String(other) },
        { [name.replaceAll('-', '_')]: String(value) },
      ]) {
        await ask(proxy, headers);
        for (const { secret } of [one, two]) {
          for (const text of tracesOf(secret)) expect(JSON.stringify(arrived)).not.toContain(text);
        }
      }
    });

    test('a signed request passes once, if the gateway can report that it has no body', async () => {
      const { id, secret, signingSecret } = await gateway.issueSigning();
      const signed = signRequest({ method: 'GET', url: `https://${host}/a?b` }, { keyId: id, signingSecret });
      const headers = { ...place.write(secret), ...signed };
      expect((await ask(proxy, headers, '/a?b')).status).toBe(kind.tellsOfBodies ? 200 : 401);
      expect((await ask(proxy, headers, '/a?b')).status).toBe(401);
    });

    if (place.header === null) return;
    test('the application keeps Authorization for its own tokens', async () => {
      const { secret } = await gateway.issue();
      for (const authorization of ['Bearer a.session.token', basic('user:password')]) {
        expect((await ask(proxy, { ...place.write(secret), authorization })).status).toBe(200);
        expect(arrived).toMatchObject([{ authorization }]);
        expect((await ask(proxy, { authorization })).status).toBe(401);
      }
    });
  });
});

/** The path of a log that is deleted with the test. */
function logFile(name: string): string {
  const path = join(tmpdir(), `latchkey-${name}-${randomBytes(8).toString('hex')}.log`);
  onTestFinished(() => rm(path, { force: true }));
  return path;
}

it.skipIf(nginx === undefined)(
  'the log of nginx in the format of the page has no key, and that in its own format has the user name',
  async () => {
    const gateway = await startGateway('sqlite', { KEY_LOCATIONS: 'basic' });
    onTestFinished(() => gateway.stop());
    const { secret } = await gateway.issue();
    const [own, combined] = [logFile('nginx'), logFile('nginx')];
    const [format = '', log = ''] = page.text.trim().split('\n');
    const locations = `${at(log, { '/var/log/nginx/access.log': own })} access_log ${combined};\n${recipe('nginx').text}`;
    const placed = at(locations, behindNginx.addresses(portOf(gateway.url), portOf(apiUrl)));
    const proxy = await startNginx(placed, format);
    onTestFinished(() => proxy.stop());
    expect((await ask(proxy, { authorization: basic(`${secret}:`) }, '/logged')).status).toBe(200);
    await expect.poll(() => readFile(combined, 'utf8')).toContain(secret);
    await expect.poll(() => readFile(own, 'utf8')).toContain('GET /logged');
    expect(await readFile(own, 'utf8')).not.toContain(secret);
  },
);

it.skipIf(caddy === undefined)(
  'the access log of Caddy with the filter of the page has no key, and without it has the header',
  async () => {
    const gateway = await startGateway('sqlite', {
      ...recipe('Caddy').environment,
      KEY_LOCATIONS: 'header:x-api-key',
    });
    onTestFinished(() => gateway.stop());
    const { secret } = await gateway.issue();
    const behindCaddy = kinds.find(({ title }) => title === 'Caddy') ?? expect.fail('the page has no Caddy');
    const logOf = async (directive: string, path: string) => {
      const file = logFile('caddy');
      const site = changed('Caddy', 'X-API-Key').replace(
        /^api\.example\.com \{\n/m,
        `$&${at(directive, { [path]: file })}\n`,
      );
      const proxy = await startCaddy(at(site, behindCaddy.addresses(portOf(gateway.url), portOf(apiUrl))));
      onTestFinished(() => proxy.stop());
      // Caddy chooses the log of a site by Host, with the port if it is not the usual one.
      const headers = { host: `${host}:${portOf(proxy.origin)}`, 'x-api-key': secret };
      expect((await ask(proxy, headers, '/logged')).status).toBe(200);
      await expect.poll(() => readFile(file, 'utf8').catch(() => '')).toContain('/logged');
      return await readFile(file, 'utf8');
    };
    expect(await logOf('log {\noutput file /own.log\n}', '/own.log')).toContain(secret);
    expect(await logOf(page.blocks[1] ?? '', '/var/log/caddy/access.log')).not.toContain(secret);
  },
);

describe('an API that checked X-API-Key itself', () => {
  const [, variables = ''] =
    /`(KEY_LOCATIONS=\S+)`/.exec(sectionOf('docs/tasks/migrating.md', 'Move the API').prose) ?? [];
  const environment = variablesOf(variables);

  it.skipIf(nginx === undefined)('moves behind nginx, and its clients send the same requests', async () => {
    const keys = Array.from({ length: 5 }, () => `sk_${randomBytes(24).toString('base64url')}`);
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
    const digests = keys.map(sha256);
    /** The API, with its own check and without it. */
    const apiOf = (passes: (headers: IncomingHttpHeaders) => boolean) =>
      createServer(async (request, response) => {
        if (!passes(request.headers)) return void response.writeHead(401).end();
        let body = '';
        for await (const part of request.setEncoding('utf8')) body += part;
        response.end(JSON.stringify({ method: request.method, url: request.url, body }));
      });
    const before = apiOf(({ 'x-api-key': key }) => digests.includes(sha256(String(key))));
    const after = apiOf(() => true);
    const [oldUrl, newUrl] = [await listen(before), await listen(after)];
    onTestFinished(async () => {
      await stopListening(before);
      await stopListening(after);
    });

    expect(environment).toEqual({ KEY_LOCATIONS: 'header:x-api-key' });
    const gateway = await startGateway('sqlite', { ...recipe('nginx').environment, ...environment });
    onTestFinished(() => gateway.stop());
    const { teamId, management } = gateway;
    const imported = digests.map((digest, i) => ({ digest, name: `Customer ${i}`, env: 'live' as const }));
    await importKeys(management, callerOf({ [teamId]: importing }), { teamId, keys: imported, dryRun: false });
    const place = places[1] ?? expect.fail();
    const proxy = await startProxy(behindNginx, place, gateway, newUrl);
    onTestFinished(() => proxy.stop());

    const requests = [
      ...keys.flatMap((key) => [
        { path: '/orders?page=2', headers: { 'X-API-Key': key } },
        { path: '/orders', headers: { 'x-api-key': key, authorization: 'Bearer a.session.token' }, method: 'DELETE' },
        { path: '/orders', headers: { 'X-Api-Key': key }, method: 'POST', body: '{"amount": 5}' },
      ]),
      { path: '/orders', headers: { 'X-API-Key': `${keys[0]}0` } },
      { path: '/orders', headers: { 'X-API-Key': '' } },
      { path: `/orders?x-api-key=${keys[0]}`, headers: {} },
      { path: '/orders', headers: { authorization: `Bearer ${keys[0]}` } },
    ];
    const statuses: number[] = [];
    for (const sent of requests) {
      const answersOf = async (origin: string) => {
        const { status, body } = await send(origin, { elsewhere: true, ...sent });
        return status === 200 ? { status, body } : { status };
      };
      const answer = await answersOf(proxy.origin);
      expect(answer).toEqual(await answersOf(oldUrl));
      statuses.push(answer.status);
    }
    expect(statuses).toEqual([...Array.from({ length: 15 }, () => 200), 401, 401, 401, 401]);
  });
});
