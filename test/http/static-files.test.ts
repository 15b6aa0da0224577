// SECURITY.md: Slow reader
/** Files of the build, as they are served when some of them have gone or can't be read. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sendRestError } from '../../src/http/errors.ts';
import { staticFiles } from '../../src/http/pages/static-files.ts';
import { requestLog } from '../../src/http/request-log.ts';
import { listen, send, stopListening } from '../support/gateway.ts';

const root = mkdtempSync(join(tmpdir(), 'latchkey-files-'));
const app = express().disable('etag');
const server = createServer(app as RequestListener);
let url: string;
beforeAll(async () => {
  mkdirSync(join(root, 'assets'));
  for (const name of ['kept.js', 'gone.js', 'replaced.js']) {
    for (const extension of ['', '.br', '.gz']) writeFileSync(join(root, 'assets', name + extension), name + extension);
  }
  writeFileSync(join(root, 'page.html'), 'a page');
  app.use(requestLog(pino({ level: 'silent' })));
  app.use(staticFiles(root, (_, __, next) => next()));
  app.use((_, response) => void response.status(404).send('not a file'));
  app.use(sendRestError);
  url = await listen(server);
});
afterAll(async () => {
  await stopListening(server);
  rmSync(root, { recursive: true });
});

const get = (path: string, encoding?: string, method = 'GET') =>
  send(url, {
    method,
    path,
    headers: encoding === undefined ? {} : { 'accept-encoding': encoding },
    elsewhere: true,
  });

it.each([
  ['gzip, deflate, br', 'br'],
  ['gzip', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['identity', undefined],
  [undefined, undefined],
])('for Accept-Encoding: %s the form is %s', async (accepted, form) => {
  const { status, headers, body } = await get('/assets/kept.js', accepted);
  expect([status, headers['content-encoding'], headers.vary]).toEqual([200, form, 'Accept-Encoding']);
  expect(headers['content-type']).toContain('text/javascript');
  expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
  expect(body).toBe(`kept.js${form === undefined ? '' : form === 'br' ? '.br' : '.gz'}`);
});

it.each([undefined, 'br'])(
  'a file that has gone is a 404 that is not stored (%s), and the service goes on',
  async (accepted) => {
    for (const extension of ['', '.br', '.gz']) rmSync(join(root, 'assets', `gone.js${extension}`), { force: true });
    const { status, headers, body } = await get('/assets/gone.js', accepted);
    expect(status).toBe(404);
    expect(headers['content-type']).toContain('application/problem+json');
    expect(headers['cache-control']).toBe('no-store');
    expect([headers['content-encoding'], headers['last-modified']]).toEqual([undefined, undefined]);
    expect(JSON.parse(body).code).toBe('NOT_FOUND');
    expect((await get('/assets/kept.js')).status).toBe(200);
  },
);

it('a file that can’t be read is a 500 that is not stored, and the service goes on', async () => {
  const file = join(root, 'assets', 'replaced.js.br');
  rmSync(file);
  mkdirSync(file);
  const { status, headers, body } = await get('/assets/replaced.js', 'br');
  expect([status, headers['cache-control'], headers['content-encoding']]).toEqual([500, 'no-store', undefined]);
  expect(JSON.parse(body).code).toBe('INTERNAL_SERVER_ERROR');
  expect((await get('/assets/kept.js')).status).toBe(200);
});

it.each([
  '/page.html',
  '/assets',
  '/assets/',
  '/assets/kept.js.br',
  '/assets/..%2fpage.html',
  '/../package.json',
  '/..%2fpackage.json',
  '/assets/..%2f..%2fmain.js',
  '/nothing.js',
  '/%00',
  '/%E0%A4',
])('%s is not served', async (path) => {
  expect((await get(path)).body).toBe('not a file');
});

it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('%s is not possible at a file', async (method) => {
  const { status, headers } = await get('/assets/kept.js', undefined, method);
  expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
});
