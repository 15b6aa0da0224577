// SECURITY.md: A log or a trace; Sign-in links
/** The service as a process: it starts, says why it does not, keeps secrets out of its log, and drains. */
import { execFile } from 'node:child_process';
import { generateKeyPairSync, type KeyObject, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import jwt from 'jsonwebtoken';
import { afterEach, expect, it } from 'vitest';
import type { DatabaseProvider } from '../src/lib/database-address.ts';
import { Browser, signInWith } from './support/browser.ts';
import { providers, temporaryDatabase } from './support/databases.ts';
import { freePort } from './support/free-port.ts';
import { TestProvider } from './support/identity-provider.ts';
import { killInstances, startBuilt } from './support/instance.ts';
import { both, graphql, jwtSecret, rest, sessionToken } from './support/service.ts';
import { temporaryDirectory } from './support/temporary-database.ts';

const run = promisify(execFile);
afterEach(killInstances);

const pem = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString();
const dataDirectory = () => temporaryDirectory().path;

/** What says where the service keeps its data. */
async function emptyStore(provider: DatabaseProvider): Promise<{ DATA_DIR: string; DATABASE_URL: string }> {
  const { directory, url } = await temporaryDatabase(provider);
  return { DATA_DIR: directory, DATABASE_URL: url };
}

it('on an empty directory it generates its secrets, prints none of them, and prints the next commands', async () => {
  const directory = dataDirectory();
  const { url, output } = await startBuilt({ DATA_DIR: join(directory, 'data') });
  const path = join(directory, 'data', 'secrets.json');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(directory, 'data', 'latchkey.db')).mode & 0o077).toBe(0);
  const text = readFileSync(path, 'utf8');
  const { jwtSecret: generated, pepper, signingKek } = JSON.parse(text);
  for (const secret of [generated, pepper.base64, signingKek.base64]) {
    expect(secret).toMatch(/^[\w+/]{43}=$/);
    expect(output()).not.toContain(secret);
  }
  expect(output()).toContain(`${url}/v1/keys`);
  expect(output()).toContain('npm run -s token -- --team');
});

it('four services that start at the same time on an empty directory all start, with the same secrets', async () => {
  const environment = { DATA_DIR: join(dataDirectory(), 'data') };
  const started = await Promise.all([1, 2, 3, 4].map(() => startBuilt(environment)));
  // Together they can keep a small machine busy for longer than a readiness check waits.
  for (const { url } of started) {
    await expect.poll(async () => (await rest(url, null, 'GET', '/readyz')).status).toBe(200);
  }
});

it('prints a link that signs in on the first run only, and never where others can reach it', async () => {
  const directory = dataDirectory();
  const terminal = { terminal: true };
  const first = await startBuilt({ DATA_DIR: directory }, terminal);
  const [, token = '', team = ''] =
    /Sign in {3}once, within 10 minutes, with this link:\s+\S+#token=(\S+)[\s\S]*TEAM=(\S+)/.exec(first.output()) ?? [];
  const { body } = await new Browser(first.url).send('POST', '/session/viewer', { body: { token } });
  expect(body).toMatchObject({ subject: 'local', teams: [{ id: team, permissions: ['view_team', 'manage_keys'] }] });
  await first.stop();
  expect((await startBuilt({ DATA_DIR: directory }, terminal)).output()).not.toContain('#token=');
  const reachable = { DATA_DIR: dataDirectory(), HOST: '0.0.0.0' };
  expect((await startBuilt(reachable, terminal)).output()).not.toContain('#token=');
});

it('uses one team in the link of the first run, in its commands, in the README and in tokens without --team', async () => {
  const directory = join(dataDirectory(), "it's here");
  const { output } = await startBuilt({ DATA_DIR: directory }, { terminal: true });
  const [, linked = '', team = ''] = /#token=(\S+)[\s\S]*TEAM=(\S+)/.exec(output()) ?? [];
  const { stdout: issued } = await run('npm', ['run', '-s', 'token'], { env: { ...process.env, DATA_DIR: directory } });
  for (const token of [linked, issued.trim()])
    expect(Object.keys(jwt.decode(token, { json: true })?.teams)).toEqual([team]);
  expect(readFileSync('README.md', 'utf8')).toContain(`TEAM=${team}\n`);
});

it('prints commands that work where DATA_DIR and the ports are other than by default', async () => {
  const { url, verifyUrl, output } = await startBuilt({ DATA_DIR: join(dataDirectory(), "it's here") });
  const commands = printedCommands(output());
  const env = { PATH: process.env.PATH, HOME: process.env.HOME };
  const { secret } = JSON.parse((await run('sh', ['-euc', commands], { env })).stdout);
  expect((await rest(verifyUrl, null, 'POST', '/v1/verify', { key: secret })).body).toMatchObject({ valid: true });
  const [, signIn = ''] = /with the link that (.*) prints/.exec(output()) ?? [];
  const { stdout: link } = await run('sh', ['-euc', signIn.replace('<team id>', randomUUID())], { env });
  expect(link.startsWith(`${url}/#token=`)).toBe(true);
});

const printedCommands = (output: string) => /^ {2}TEAM=[\s\S]*?\n\n/m.exec(output)?.[0] ?? '';

it('prints commands that work with JWT_SECRET and every setting of tokens, and a link that PUBLIC_URL accepts', async () => {
  const port = await freePort();
  const { verifyUrl, output } = await startBuilt({
    DATA_DIR: dataDirectory(),
    PORT: String(port),
    JWT_SECRET: jwtSecret,
    JWT_ISSUER: 'https://login.example.com/',
    JWT_AUDIENCE: "the keys' service",
    JWT_TEAMS_CLAIM: 'https://example.com/teams',
    JWT_MAX_LIFETIME: '600',
    PUBLIC_URL: `http://localhost:${port}`,
    VERIFIER_TOKENS: 'a-token-of-a-verifier',
  });
  expect(output()).toContain('signed with JWT_SECRET: set it there too');
  expect(output()).not.toContain(jwtSecret);
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, JWT_SECRET: jwtSecret };
  const { secret } = JSON.parse((await run('sh', ['-euc', printedCommands(output())], { env })).stdout);
  const [, verify = ''] = /Verify the key: (.*)/.exec(output()) ?? [];
  expect(verify).toContain(`${verifyUrl}/v1/verify -H 'Authorization: Bearer <one of VERIFIER_TOKENS>'`);
  const filled = verify.replace('<one of VERIFIER_TOKENS>', 'a-token-of-a-verifier').replace('<the secret>', secret);
  expect(JSON.parse((await run('sh', ['-euc', filled], { env })).stdout)).toMatchObject({ valid: true });
  const [, signIn = ''] = /with the link that (.*) prints, with the same JWT_SECRET/.exec(output()) ?? [];
  const { stdout: link } = await run('sh', ['-euc', signIn.replace('<team id>', randomUUID())], { env });
  expect(link.startsWith(`http://localhost:${port}/#token=`)).toBe(true);
});

it('with a key of others, says where session tokens come from and what they need, and names no command that would fail', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const kid = 'a';
  const keySet = createServer((_, response) => {
    response.end(JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid }] }));
  });
  await new Promise<void>((resolve) => keySet.listen(0, '127.0.0.1', resolve));
  const address = keySet.address();
  const keySetPort = typeof address === 'object' ? address?.port : 0;
  const [issuer, audience] = ['https://login.example.com', 'latchkey'];
  const shared = { JWT_ISSUER: issuer, JWT_AUDIENCE: audience, JWT_TEAMS_CLAIM: 'https://example.com/teams' };
  const configurations = [
    ['the owner of the private key of JWT_PUBLIC_KEY: a JWT (ES256)', 'JWT_PUBLIC_KEY', pem(publicKey)],
    [
      'the provider of JWT_JWKS_URL: a JWT (RS256 or ES256, with kid)',
      'JWT_JWKS_URL',
      `http://127.0.0.1:${keySetPort}/jwks?a-secret`,
    ],
  ] as const;
  for (const [signer, variable, value] of configurations) {
    const { output } = await startBuilt({ DATA_DIR: dataDirectory(), ...shared, [variable]: value });
    expect(output()).not.toMatch(/npm run|a-secret/);
    expect(output()).toContain(`Session tokens come from ${signer} with the claims\n`);
    expect(output()).toContain(
      `  sub, iat, exp (at most 86400 s after iat), iss "${issuer}", aud "${audience}",\n  and "https://example.com/teams": {"<team id>": ["view_team", "manage_keys"]}\n`,
    );
    const team = randomUUID();
    const claims = { 'https://example.com/teams': { [team]: ['view_team', 'manage_keys'] } };
    const options = { algorithm: 'ES256', keyid: kid, issuer, audience, subject: 'me', expiresIn: 86_400 } as const;
    const commands = printedCommands(output())
      .replace('<team id>', team)
      .replace('<session token>', jwt.sign(claims, privateKey, options));
    expect(JSON.parse((await run('sh', ['-euc', commands])).stdout)).toMatchObject({ name: 'My first key' });
  }
  keySet.close();
});

it('with an identity provider, says where users sign in, and prints no link with a token', async () => {
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const provider = await TestProvider.start({ publicUrl });
  try {
    const environment = { DATA_DIR: dataDirectory(), ...provider.environment, PORT: String(port) };
    const { output } = await startBuilt(environment, { terminal: true });
    expect(output()).not.toContain('#token=');
    const [, page = '', callback = ''] =
      /Sign in {3}at (\S+) with an account of 127\.0\.0\.1:\d+, whose claim teams .*\s+The redirect URI there is (\S+)/.exec(
        output(),
      ) ?? [];
    const browser = new Browser(new URL(page).origin);
    const signedIn = await signInWith(browser, new Browser(provider.issuer));
    expect([signedIn.location, signedIn.callback.href.split('?')[0]]).toEqual(['/#/', callback]);
  } finally {
    await killInstances();
    await provider.stop();
  }
});

it('every line that the service writes is JSON, and none is about something deprecated, also at a GraphQL call', async () => {
  const ring = () => `a:${randomBytes(32).toString('base64')}`;
  const secrets = { JWT_SECRET: jwtSecret, KEY_PEPPERS: ring(), SIGNING_KEKS: ring() };
  const { url, output, stop } = await startBuilt({ DATA_DIR: dataDirectory(), ...secrets });
  const token = sessionToken({ [randomUUID()]: both });
  expect((await graphql(url, token, '{ viewer { subject } }')).status).toBe(200);
  const headers = { authorization: `Bearer ${token}`, accept: 'application/graphql-response+json' };
  const got = await fetch(`${url}/graphql?query=${encodeURIComponent('{ __typename }')}`, { headers });
  expect(await got.json()).toEqual({ data: { __typename: 'Query' } });
  await stop();
  const lines = output().trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).msg)).toContain('stopped');
  expect(output()).not.toMatch(/deprecat|warning/i);
});

it('a warning of Node.js is a line of the log', async () => {
  const { url, output } = await startBuilt({ DATA_DIR: dataDirectory() });
  // A fragment is not allowed in a request target. Express parses it with `url.parse`, which is deprecated.
  const [response] = await once(request(url, { path: '/a#b' }).end(), 'response');
  response.resume();
  await expect.poll(output).toMatch(/^\{"level":40.*"code":"DEP0169","msg":"warning of Node.js"\}$/m);
  expect(output()).not.toMatch(/^\(node:/m);
});

it('prints no link that signs in to a log or a pipe, and says how to get a token instead', async () => {
  const { output, url } = await startBuilt({ DATA_DIR: dataDirectory() });
  expect(output()).toContain(`Dashboard ${url}/\n`);
  expect(output()).not.toMatch(/token=|eyJ/);
  expect(output()).toContain('npm run -s token -- --team');
});

it('logs at the start that session tokens cannot be checked if their keys cannot be fetched, and still serves', async () => {
  const { url, output } = await startBuilt({
    DATA_DIR: dataDirectory(),
    // The discard port, on which no server listens.
    JWT_JWKS_URL: 'http://127.0.0.1:9/jwks',
    JWT_ISSUER: 'https://login.example.com',
  });
  await expect.poll(output).toMatch(/"problem":"it can't be reached[^\n]*JWT_JWKS_URL/);
  expect((await rest(url, null, 'GET', '/readyz')).status).toBe(200);
});

it.each(providers)('on %s, no secret of a key, token or signature reaches the log', async (provider) => {
  const running = await startBuilt({
    ...(await emptyStore(provider)),
    JWT_SECRET: jwtSecret,
    LOG_LEVEL: 'trace',
    KEY_LOCATIONS: 'authorization,header:x-api-key,basic',
  });
  const { url, verifyUrl, output } = running;
  const team = randomUUID();
  const token = sessionToken({ [team]: both });
  const { id, secret } = (await rest(url, token, 'POST', '/v1/keys', { teamId: team, name: 'x', env: 'live' })).body;
  const { signingSecret } = (await rest(url, token, 'POST', `/v1/keys/${id}/signing/enable`)).body;
  // Where they don't belong: as a token, in a field, in a URL, in a document.
  await rest(url, secret, 'GET', `/v1/keys?teamId=${secret}`);
  await rest(url, token, 'PATCH', `/v1/keys/${id}`, { expiresAt: secret, [signingSecret]: signingSecret });
  await rest(url, token, 'DELETE', `/v1/keys/${id}?key=${secret}`);
  await rest(url, token, 'DELETE', `/v1/keys/${secret}`);
  for (const text of [secret, token, signingSecret]) await fetch(`${url}/${text}`);
  await graphql(url, token, `{ key(id: "${secret}") { ${signingSecret} } }`);
  await fetch(`${url}/graphql?query=${secret}`, { headers: { authorization: `Bearer ${token}` } });
  const explain =
    'query ($input: ExplainVerificationInput!) { explainVerification(input: $input) { code checks { explanation } } }';
  const explained = await graphql(url, token, explain, { input: { teamId: team, secret } });
  expect(explained.body.data.explainVerification.code).toBe('SIGNATURE_REQUIRED');
  expect(JSON.stringify(explained.body)).not.toContain(secret.slice(-43));
  for (const wrong of [{ secret, prefix: secret }, { prefix: secret }, { secret: 'x', sourceIp: secret }]) {
    expect((await graphql(url, token, explain, { input: { teamId: team, ...wrong } })).body.errors).toHaveLength(1);
  }
  const inUrl = new URLSearchParams({ query: explain, variables: JSON.stringify({ input: { teamId: team, secret } }) });
  await fetch(`${url}/graphql?${inUrl}`, {
    headers: { authorization: `Bearer ${token}`, 'x-apollo-operation-name': 'x' },
  });
  expect((await rest(verifyUrl, null, 'POST', '/v1/verify', { key: secret })).body.code).toBe('SIGNATURE_REQUIRED');
  await rest(verifyUrl, secret, 'GET', `/v1/authorize?${secret}`);
  const inBasic = Buffer.from(`${secret}:`).toString('base64');
  for (const headers of [
    { 'x-api-key': secret },
    { 'x-api-key': secret, x_api_key: secret },
    { 'x-api-key': secret, authorization: 'Bearer another' },
    { authorization: `Basic ${inBasic}` },
  ]) {
    for (const path of ['/v1/authorize', '/v1/keys/self', '/nowhere']) await fetch(verifyUrl + path, { headers });
    await fetch(`${url}/v1/keys`, { headers });
  }
  await running.stop();
  expect(output()).toContain('"statusCode":400');
  expect(output()).not.toContain(secret);
  expect(output()).not.toContain(secret.slice(-43));
  expect(output()).not.toContain(inBasic);
  expect(output()).not.toContain(signingSecret);
  expect(output()).not.toContain(token);
});

it('a wrong configuration is reported whole, with exit code 1, before anything is touched', async () => {
  const directory = dataDirectory();
  const { exit, output } = await startBuilt({
    DATA_DIR: join(directory, 'data'),
    PORT: 'http',
    JWT_SECRET: 'too short',
    KEY_PEPPERS: 'x',
  });
  expect(await exit).toBe(1);
  expect(output()).toBe(
    [
      "Latchkey can't start with this configuration:",
      '  PORT: expected a port number from 0 to 65535',
      '  JWT_SECRET: expected at least 32 bytes (RFC 7518, section 3.2)',
      '  KEY_PEPPERS: expected id:base64,… with at least 32 bytes each and distinct ids',
      '',
    ].join('\n'),
  );
  expect(() => statSync(join(directory, 'data'))).toThrow();
});

it('warns of a variable that is almost one of its own, and starts', async () => {
  const { url, output } = await startBuilt({ DATA_DIR: dataDirectory(), WORKER: '2' });
  expect(output()).toContain('"msg":"WORKER is not a variable of Latchkey: did you mean WORKERS?"');
  expect((await rest(url, null, 'GET', '/readyz')).status).toBe(200);
});

it.each(providers)(
  'on %s, a database whose pepper is lost is rejected at the start, not key by key',
  async (provider) => {
    const environment = { ...(await emptyStore(provider)), JWT_SECRET: jwtSecret };
    const first = await startBuilt(environment);
    const team = randomUUID();
    const token = sessionToken({ [team]: both });
    const { id } = (await rest(first.url, token, 'POST', '/v1/keys', { teamId: team, name: 'x', env: 'live' })).body;
    await rest(first.url, token, 'POST', `/v1/keys/${id}/signing/enable`);
    await first.stop();
    rmSync(join(environment.DATA_DIR, 'secrets.json'));
    const second = await startBuilt(environment);
    expect(await second.exit).toBe(1);
    expect(second.output()).toMatch(
      /KEY_PEPPERS: [0-9a-f]{8} is missing, and keys or management keys in the database still need it/,
    );
    expect(second.output()).toMatch(
      /SIGNING_KEKS: [0-9a-f]{8} is missing, and keys, management keys or webhooks in the database still need it/,
    );
  },
);

it.each(providers)(
  'on %s, after SIGTERM it finishes open requests, accepts no new ones, and exits with 0 within 10 s',
  async (provider) => {
    const environment = { ...(await emptyStore(provider)), JWT_SECRET: jwtSecret };
    const { url, process: child, exit } = await startBuilt(environment);
    const team = randomUUID();
    const body = JSON.stringify({ teamId: team, name: 'In flight', env: 'live' });
    const open = request(`${url}/v1/keys`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${sessionToken({ [team]: both })}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      },
    });
    const answered = once(open, 'response');
    open.write(body.slice(0, 10));
    // The server has the request when it has answered another one that came later.
    await rest(url, null, 'GET', '/healthz');
    const asked = Date.now();
    child.kill('SIGTERM');
    // New connections are rejected from here on.
    const rejected = async () => {
      try {
        await fetch(`${url}/healthz`, { headers: { connection: 'close' } });
        return false;
      } catch {
        return true;
      }
    };
    while (!(await rejected())) await new Promise(setImmediate);
    open.end(body.slice(10));
    const [response] = await answered;
    expect(response.statusCode).toBe(201);
    response.resume();
    expect(await exit).toBe(0);
    expect(Date.now() - asked).toBeLessThan(10_000);
  },
);
