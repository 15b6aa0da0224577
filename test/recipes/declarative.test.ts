/** docs/reference/declarative.md: what its tools call, made from the documents that they read. */
import { execFile } from 'node:child_process';
import { hash, randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { blockOf } from '../support/documents.ts';
import { startGateway } from '../support/gateway.ts';
import { inTests } from '../support/in-tests.ts';
import { runCommand, serviceEnvironment } from '../support/instance.ts';
import { both, rest, sessionToken } from '../support/service.ts';
import { at } from './page.ts';

const page = 'docs/reference/declarative.md';
const gateway = inTests(() => startGateway('sqlite'));

/** A team of its own for each test. */
function newTeam() {
  const id = randomUUID();
  const token = sessionToken({ [id]: both });
  const call = (method: string, path: string, body?: unknown) =>
    rest(gateway.running.url, token, method, path, body, {});
  return { id, token, call };
}

const verdictOf = async (key: string) =>
  (await rest(gateway.url, null, 'POST', '/v1/verify', { key, sourceIp: '203.0.113.9' })).body.code;

const newSecret = async () => (await runCommand(['keys', 'new-secret', '--env', 'live'], {})).stdout.trim();

/** A directory whose programs come first: `npx latchkey` and `latchkey` run the build. */
function workplace() {
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-declarative-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const program = (name: string, text: string) => {
    writeFileSync(join(directory, name), text);
    chmodSync(join(directory, name), 0o755);
  };
  const latchkey = `"${process.execPath}" "${resolve('dist/cli/latchkey.js')}"`;
  program('npx', `#!/bin/sh\nshift\nexec ${latchkey} "$@"\n`);
  program('latchkey', `#!/bin/sh\nexec ${latchkey} "$@"\n`);
  const run = (script: string, variables: NodeJS.ProcessEnv) =>
    new Promise<{ readonly failed: boolean; readonly stdout: string; readonly stderr: string }>((done) => {
      const env = serviceEnvironment({ PATH: `${directory}:${process.env.PATH}`, ...variables });
      execFile('sh', ['-euc', script], { cwd: directory, env }, (error, stdout, stderr) =>
        done({ failed: error !== null, stdout, stderr }),
      );
    });
  return { directory, program, run, read: (name: string) => readFileSync(join(directory, name), 'utf8') };
}

const placeholder = '5a3c7f60-9a52-4b6e-8f0e-1f0a2b3c4d5e';

describe('a script', () => {
  it('declares a key, finds it with all settings, and rotates it while the last secret is accepted', async () => {
    const { id, token } = newTeam();
    const { run, read } = workplace();
    const variables = {
      TEAM: id,
      TOKEN: token,
      LATCHKEY_URL: gateway.running.url,
      LATCHKEY_TEAM: id,
      LATCHKEY_TOKEN: token,
    };
    const local = (title: string) => at(blockOf(page, title), { 'localhost:4000': new URL(gateway.running.url).host });
    const declared = await run(local('Declare a key'), variables);
    expect(declared.stderr).toContain('digest  sha256:');
    const first = read('shop.key').trim();
    expect(JSON.parse(declared.stdout)).toMatchObject({ externalId: 'shop', scopes: ['orders:read'] });
    expect(declared.stdout + declared.stderr).not.toContain(first.slice(20));
    expect(JSON.parse((await run(local('Find drift'), variables)).stdout)).toEqual([]);
    const untagged = local('Find drift').replace('&tag=declared', '');
    const [listed] = JSON.parse((await run(untagged, variables)).stdout);
    expect(listed).toEqual(JSON.parse(declared.stdout));

    expect(await run(blockOf(page, 'Rotate'), variables)).toMatchObject({ failed: false, stdout: '' });
    const next = read('next.key').trim();
    expect([await verdictOf(first), await verdictOf(next)]).toEqual(['VALID', 'VALID']);
  });
});

describe('OpenTofu', () => {
  /** The arguments of `restapi_object`, and its data as JSON. */
  function resourceOf(hcl: string, digest: string) {
    const text = /resource "restapi_object" "shop" \{\n(.*?)\n\}\n/s.exec(hcl)?.[1] ?? '';
    const [, data = ''] = /data = jsonencode\((.*?)\)/s.exec(text) ?? [];
    const json = data
      .replaceAll(/^\s*(\w+)\s*=\s*(.+)$/gm, (_, name, value) => `"${name}": ${value},`)
      .replace('var.shop_digest', JSON.stringify(digest))
      .replace(/,(?=\s*\}$)/, '');
    const argument = (name: string) => new RegExp(`^\\s*${name}\\s*= "?(.*?)"?$`, 'm').exec(text)?.[1] ?? '';
    return { argument, ignored: JSON.parse(argument('ignore_changes_to')), data: JSON.parse(json) };
  }

  it('creates, reads, changes, rotates and destroys a key, and neither an answer nor drift has a secret', async () => {
    const { id, call } = newTeam();
    const secrets = [await newSecret(), await newSecret()];
    const hcl = at(blockOf(page, 'OpenTofu'), { [placeholder]: id });
    const { argument, ignored, data } = resourceOf(hcl, `sha256:${hash('sha256', secrets[0] ?? '')}`);
    const created = argument('create_path').replace('{id}', argument('object_id'));
    // The provider reads, changes and destroys at `path/{id}`.
    const path = `${argument('path')}/${argument('object_id')}`;
    expect(path).toBe(created);
    /** What the provider compares: the fields of the declaration without the ignored ones. */
    const drift = async () => {
      const { body } = await call('GET', path);
      const compared = Object.entries(data).filter(([name]) => !ignored.includes(name));
      return compared.filter(([name, value]) => JSON.stringify(body[name]) !== JSON.stringify(value));
    };
    const answers = [await call(argument('create_method'), created, data)];
    expect([answers[0]?.status, await drift()]).toEqual([201, []]);
    await call('PATCH', `/v1/keys/${answers[0]?.body.id}`, { tags: [] });
    expect(await drift()).toEqual([['tags', ['declared']]]);
    answers.push(await call('PUT', path, data));
    expect(await drift()).toEqual([]);
    answers.push(await call('PUT', path, { ...data, digest: hash('sha256', secrets[1] ?? '') }));
    expect(await Promise.all(secrets.map(verdictOf))).toEqual(['VALID', 'VALID']);
    answers.push(await call('DELETE', path));
    expect(await Promise.all(secrets.map(verdictOf))).toEqual(['REVOKED', 'REVOKED']);
    // From 404, the provider concludes that the object is gone.
    expect((await call('GET', path)).status).toBe(404);
    for (const { body } of answers) expect(JSON.stringify(body)).not.toMatch(/"secret":|_c_\w{8}_/);
  });
});

describe('External Secrets', () => {
  /** The values that the operator has for the expressions of the store. */
  function rendered(template: string, values: Readonly<Record<string, string>>): string {
    return template.replaceAll(/\{\{ (.+?) \}\}/g, (_, expression) => values[expression] ?? `no ${expression}`);
  }

  it('pushes the digest of a secret, again and again, and a changed secret as a rotation', async () => {
    const { id, token } = newTeam();
    const [store, push] = parseAllDocuments(blockOf(page, 'External Secrets')).map((one) => one.toJS());
    const { url, method, headers, body } = store.spec.provider.webhook;
    const { remoteKey } = push.spec.data[0].match.remoteRef;
    const pushOne = async (secret: string) => {
      const values = {
        '.remoteRef.remoteKey': remoteKey,
        '.auth.token': token,
        'index .remoteRef .remoteRef.remoteKey | sha256sum': hash('sha256', secret),
      };
      const to = at(rendered(url, values), { [placeholder]: id, 'https://latchkey.example.com': gateway.running.url });
      const sent = Object.entries(headers).map(([name, value]) => [name, rendered(String(value), values)]);
      return await fetch(to, { method, headers: Object.fromEntries(sent), body: rendered(body, values) });
    };
    const [first, second] = [await newSecret(), await newSecret()];
    const statuses = [];
    for (const secret of [first, first, second]) statuses.push((await pushOne(secret)).status);
    expect(statuses).toEqual([201, 200, 200]);
    expect([await verdictOf(first), await verdictOf(second)]).toEqual(['VALID', 'VALID']);
  });
});

describe('a job in Kubernetes', () => {
  /** Keeps one secret in a file. Fails instead of the patches whose number is in the file `fails`. */
  const kubectl = `#!${process.execPath}
const { readFileSync, writeFileSync, existsSync } = require('node:fs');
const data = existsSync('secret.json') ? JSON.parse(readFileSync('secret.json', 'utf8')) : {};
const [verb] = process.argv.slice(2);
if (verb === 'get') process.stdout.write(data.next ?? '');
else {
  const patch = JSON.parse(readFileSync(0, 'utf8'));
  if (existsSync('fails') && patch.stringData[readFileSync('fails', 'utf8')] !== undefined) process.exit(1);
  for (const [name, text] of Object.entries(patch.stringData)) data[name] = Buffer.from(text).toString('base64');
  for (const [name, value] of Object.entries(patch.data ?? {})) if (value === null) delete data[name];
  writeFileSync('secret.json', JSON.stringify(data));
}
`;

  it('rotates so that the secret in use is accepted, also after it was interrupted anywhere', async () => {
    const { id, token } = newTeam();
    const { directory, program, run, read } = workplace();
    program('kubectl', kubectl);
    const { jobTemplate } = parse(blockOf(page, 'Kubernetes')).spec;
    const [{ command, args }] = jobTemplate.spec.template.spec.containers;
    expect(command).toEqual(['sh', '-euc']);
    const job = (url = gateway.running.url) =>
      run(args[0], { LATCHKEY_URL: url, LATCHKEY_TEAM: id, LATCHKEY_TOKEN: token });
    const stored = () => {
      const { key = '', next = '' } = JSON.parse(read('secret.json'));
      return { key: atob(key), next: atob(next) };
    };
    expect(await job()).toMatchObject({ failed: false, stdout: '' });
    const { key: first } = stored();
    expect(await verdictOf(first)).toBe('VALID');

    for (const interrupted of ['next', 'key']) {
      writeFileSync(join(directory, 'fails'), interrupted);
      expect((await job()).failed).toBe(true);
      rmSync(join(directory, 'fails'));
    }
    // The digest was sent, and the pods still have the first secret.
    expect([stored().key, await verdictOf(first), await verdictOf(stored().next)]).toEqual([first, 'VALID', 'VALID']);
    expect((await job()).failed).toBe(false);
    expect([stored().key === first, stored().next]).toEqual([false, '']);
    expect([await verdictOf(first), await verdictOf(stored().key)]).toEqual(['VALID', 'VALID']);
  });
});
