// SECURITY.md: Bytes from outside
import { createServer, type RequestListener } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { GithubKeys } from '../../src/leaks/github-keys.ts';
import { listen, stopListening } from '../support/gateway.ts';
import { githubExamples } from './github-example.ts';

const [first, second] = githubExamples;
const documentOf = (...keys: readonly { readonly keyId: string; readonly key: string }[]) =>
  JSON.stringify({ public_keys: keys.map(({ keyId, key }) => ({ key_identifier: keyId, key, is_current: true })) });

const minute = 60_000;
const hour = 60 * minute;

async function startGithub(answer: RequestListener, timeoutMs = 60_000) {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers['if-none-match']);
    answer(request, response);
  });
  const url = await listen(server);
  onTestFinished(() => stopListening(server));
  return { keys: new GithubKeys(url, timeoutMs), asked, server };
}

it("finds GitHub's keys by their ids with one request", async () => {
  const { keys, asked } = await startGithub((_, response) => response.end(documentOf(first, second)));
  expect(asked).toEqual([]);
  expect(await keys.find(first.keyId, 0)).not.toBe(null);
  expect(await keys.find(second.keyId, hour - 1)).not.toBe(null);
  expect(asked).toHaveLength(1);
});

it('asks again after an hour, and only for a list that has changed', async () => {
  let listed = documentOf(first);
  const { keys, asked } = await startGithub((request, response) => {
    const etag = `"${listed.length}"`;
    if (request.headers['if-none-match'] === etag) response.writeHead(304).end();
    else response.setHeader('etag', etag).end(listed);
  });
  await keys.find(first.keyId, 0);
  expect(await keys.find(first.keyId, hour)).not.toBe(null);
  expect(asked).toEqual([undefined, `"${listed.length}"`]);
  listed = documentOf(second, second);
  // A withdrawn key is trusted no longer.
  expect(await keys.find(first.keyId, 2 * hour)).toBe(null);
  expect(await keys.find(second.keyId, 2 * hour)).not.toBe(null);
  expect(asked).toHaveLength(3);
});

it('asks at most once a minute, however many unknown key ids clients send at once', async () => {
  const { keys, asked } = await startGithub((_, response) => response.end(documentOf(first)));
  const flood = (now: number) => Promise.all(Array.from({ length: 200 }, (_, i) => keys.find(`unknown-${i}`, now)));
  expect(new Set(await flood(0))).toEqual(new Set([null]));
  await flood(minute - 1);
  expect(asked).toHaveLength(1);
  await flood(minute);
  expect(asked).toHaveLength(2);
});

it.each<[string, RequestListener]>([
  ['an error', (_, response) => response.writeHead(403).end('rate limit')],
  ['no JSON', (_, response) => response.end('<html>')],
  ['another document', (_, response) => response.end('{"public_keys":{}}')],
  ['no usable key', (_, response) => response.end(documentOf({ keyId: 'a', key: 'b' }))],
  ['a redirect', (_, response) => response.writeHead(302, { location: '/elsewhere' }).end()],
  ['an endless answer', (_, response) => endless(response)],
  ['nothing', () => undefined],
])('throws UNAVAILABLE, and does not ask again for a minute, if GitHub answers with %s', async (_, answer) => {
  const { keys, asked } = await startGithub(answer, 5000);
  const rejection = { code: 'UNAVAILABLE', message: "GitHub's public keys can't be fetched; try again in a minute." };
  await expect(keys.find(first.keyId, 0)).rejects.toMatchObject(rejection);
  await expect(keys.find(first.keyId, minute - 1)).rejects.toMatchObject({ ...rejection, retryAfterSeconds: 60 });
  expect(asked).toHaveLength(1);
});

it('uses the cached keys for a day while GitHub fails', async () => {
  const { keys, server } = await startGithub((_, response) => response.end(documentOf(first)));
  await keys.find(first.keyId, 0);
  await stopListening(server);
  expect(await keys.find(first.keyId, 24 * hour - 1)).not.toBe(null);
  await expect(keys.find(first.keyId, 24 * hour)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});

function endless(response: import('node:http').ServerResponse): void {
  const part = Buffer.alloc(64 * 1024, ' ');
  const write = () => {
    while (!response.destroyed && response.write(part));
    if (!response.destroyed) response.once('drain', write);
  };
  write();
}
