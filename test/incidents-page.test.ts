/** The commands and programs of the pages on incidents and on derived tokens, as a person runs them. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { blockOf } from './support/documents.ts';
import { startGateway, verifyAt } from './support/gateway.ts';
import { inTests } from './support/in-tests.ts';
import { serviceEnvironment } from './support/instance.ts';
import { both, rest, sessionToken } from './support/service.ts';
import { temporaryDirectory } from './support/temporary-database.ts';

const run = promisify(execFile);
const gateway = inTests(() => startGateway('sqlite'));
const directory = mkdtempSync(join(temporaryDirectory().path, 'incidents-'));
const incidents = 'docs/reference/incidents.md';
const tokens = 'docs/reference/derived-tokens.md';

const here = (text: string) =>
  text
    .replaceAll('localhost:4000', new URL(gateway.running.url).host)
    .replaceAll('localhost:4001', new URL(gateway.url).host)
    .replaceAll('http://127.0.0.1:4001', gateway.url)
    .replaceAll('https://verify.example.com', gateway.url)
    .replaceAll('npx latchkey', `${process.execPath} ${process.cwd()}/dist/cli/latchkey.js`);

async function shell(text: string, variables: NodeJS.ProcessEnv): Promise<string> {
  const TOKEN = sessionToken({ [gateway.teamId]: both });
  const env = {
    ...serviceEnvironment({ LATCHKEY_URL: gateway.running.url, LATCHKEY_TOKEN: TOKEN }),
    ...{ TEAM: gateway.teamId, TOKEN, ...variables },
  };
  return (await run('bash', ['-ceu', here(text)], { env, cwd: directory })).stdout;
}

const codeOf = async (key: string, more: object = {}) => (await verifyAt(gateway.url, { key, ...more })).body.code;

it('Freeze many keys: the example freezes those with the tag', async () => {
  const token = sessionToken({ [gateway.teamId]: both });
  const body = { teamId: gateway.teamId, name: 'A job', env: 'live', tags: ['ci'] };
  const { secret } = (await rest(gateway.running.url, token, 'POST', '/v1/keys', body)).body;
  expect(await codeOf(secret)).toBe('VALID');
  const printed = await shell(blockOf(incidents, 'Freeze many keys'), {});
  expect(printed).toContain('The build server was broken into');
  expect(await codeOf(secret)).toBe('FROZEN');
});

it('Receipts: the example waits for the receipt of a revocation, and verifies it without the service', async () => {
  const { id } = await gateway.issue();
  const printed = await shell(blockOf(incidents, 'Receipts'), { ID: id });
  expect(printed).toContain(`KEY_REVOKED: A key, lk_live_`);
  expect(printed).toMatch(/^complete {8}yes$/m);
  expect(JSON.parse(readFileSync(join(directory, 'receipt.json'), 'utf8')).statement.subject.id).toBe(id);
});

it('Derive a token: the example is accepted with its scope', async () => {
  const { secret } = await gateway.issue({ scopes: ['orders:read'] });
  const { token } = JSON.parse(await shell(blockOf(tokens, 'Derive a token'), { SECRET: secret }));
  expect(await codeOf(token, { scopes: ['orders:read'] })).toBe('VALID');
});

it('A job of CI: its step masks the token, and passes it on', async () => {
  const { secret } = await gateway.issue({ scopes: ['orders:read'] });
  const [step] = parse(blockOf(tokens, 'A job of CI')).jobs.test.steps;
  const output = join(directory, 'output');
  writeFileSync(output, '');
  const printed = await shell(step.run, { KEY: secret, GITHUB_OUTPUT: output });
  const [, token = ''] = /^token=(.*)$/m.exec(readFileSync(output, 'utf8')) ?? [];
  expect(printed.trim()).toBe(`::add-mask::${token}`);
  expect(await codeOf(token, { scopes: ['orders:read'] })).toBe('VALID');
});

it('An upload from a browser: the server derives a token for the address of the browser', async () => {
  const { secret } = await gateway.issue({ scopes: ['files:write'] });
  // Beside the packages of this folder.
  const file = join(process.cwd(), 'dist', 'upload-example.mjs');
  writeFileSync(
    file,
    `import express from 'express';
const app = express();
const requireSignIn = (_, __, next) => next();
${here(blockOf(tokens, 'An upload from a browser'))}
const server = app.listen(0, '127.0.0.1', () => console.log(server.address().port));`,
  );
  const server = spawn(process.execPath, [file], { env: { UPLOAD_KEY: secret }, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void server.kill());
  const [port] = await once(createInterface(server.stdout), 'line');
  const response = await fetch(`http://127.0.0.1:${port}/upload-token`, { method: 'POST' });
  const { token } = (await response.json()) as { token: string };
  expect(response.status).toBe(201);
  expect(await codeOf(token, { scopes: ['files:write'], sourceIp: '127.0.0.1' })).toBe('VALID');
  expect(await codeOf(token, { scopes: ['files:write'], sourceIp: '192.0.2.1' })).toBe('SOURCE_NOT_ALLOWED');
});
