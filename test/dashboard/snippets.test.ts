/** The examples that the dashboard shows work as they are, wherever APIs expect the key, and contain no secret. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { promisify } from 'node:util';
import express from 'express';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, test } from 'vitest';
import { requireApiKey } from '../../src/client/express.ts';
import { signingSnippetsOf } from '../../src/dashboard/secrets/signing-snippets.ts';
import { snippetsOf } from '../../src/dashboard/secrets/snippets.ts';
import type { KeyLocationText } from '../../src/domain/key-location.ts';
import { document, quickstarts } from '../recipes/quickstarts.ts';
import { listen, send, sharedGateway, stopListening } from '../support/gateway.ts';
import { whyNoGo } from '../support/go.ts';

const run = promisify(execFile);
const documentation = readFileSync(document, 'utf8');

/** Programs that run here. */
const programs = ['Express', 'Fastify', 'FastAPI', 'nginx'].filter((name) => {
  const { missing } = quickstarts[name] ?? {};
  if (missing !== undefined) console.warn(`The dashboard’s example for ${name} is not run: ${missing}`);
  return missing === undefined;
});

test('each example has at most 20 lines, and everything that the quickstart has', () => {
  const options = {
    keyId: '0e3e4f5a-0000-4000-8000-000000000000',
    env: 'live',
    signingEnabled: false,
    verifyUrl: 'http://127.0.0.1:4001',
    locations: ['authorization'],
    curlOption: '-H "Authorization: Bearer $API_KEY"',
  } as const;
  const all = snippetsOf(documentation, options);
  expect(all.map(({ name }) => name)).toEqual(['curl', 'Express', 'Fastify', 'FastAPI', 'Go', 'nginx']);
  for (const { name, code } of [...all, ...signingSnippetsOf(options)]) {
    expect([name, code.trimEnd().split('\n').length > 20]).toEqual([name, false]);
    expect(code).not.toBe('');
  }
  for (const { code } of all.slice(1).filter(({ name }) => name !== 'Go')) expect(documentation).toContain(code);
});

describe.each(['authorization', 'header:x-api-key', 'basic:password', 'header:x-api-key,basic'])(
  'with KEY_LOCATIONS=%s',
  (KEY_LOCATIONS) => {
    const gateway = sharedGateway('sqlite', { KEY_LOCATIONS, SOURCE_HEADER: 'X-Real-IP' });
    const locations = KEY_LOCATIONS.split(',');
    let curlOption = '';
    const app = express();
    const api = createServer(app as RequestListener);
    let url: string;

    beforeAll(async () => {
      const { body } = await send(gateway.running.url, { path: '/' });
      const [, option = ''] = /name="latchkey-key-option" content="([^"]*)"/.exec(body) ?? [];
      curlOption = option.replaceAll('&#34;', '"');
      const keyLocations = locations as KeyLocationText[];
      app.use(
        requireApiKey({ verifyUrl: gateway.url, keyLocations, timeoutMs: 20_000 }),
        (_, response) => void response.end('passed'),
      );
      url = await listen(api);
    });
    afterAll(() => stopListening(api));

    const snippet = (name: string, keyId: string) => {
      const options = {
        keyId,
        env: 'test',
        signingEnabled: false,
        verifyUrl: gateway.url,
        locations,
        curlOption,
      } as const;
      return snippetsOf(documentation, options).find((candidate) => candidate.name === name)?.code ?? '';
    };

    it.each(programs)(
      'the example for %s accepts the key as the one for curl sends it, and no live key',
      async (name) => {
        const { id, secret } = await gateway.issue({ env: 'test' });
        const protectedApi = await quickstarts[name]?.start(snippet(name, id));
        onTestFinished(async () => void (await protectedApi?.stop()));
        const call = async (API_KEY: string) => {
          const commands = snippet('curl', id).replace('http://localhost:3000', protectedApi?.origin ?? '');
          const env = { PATH: process.env.PATH, API_KEY };
          return (await run('bash', ['-euc', `curl() { command curl -s "$@"; echo; }\n${commands}`], { env })).stdout;
        };
        const answer = await call(secret);
        expect(answer).toContain('"env":"test"');
        expect(answer).toContain(`"keyId":"${id}"`);
        expect(await call((await gateway.issue()).secret)).toContain(' 403 ');
      },
    );

    it.skipIf(whyNoGo !== undefined)('the example for Go is what gofmt makes of it', async () => {
      const body = snippet('Go', 'an-id').replace(/^(?=.)/gm, '\t');
      const child = run('gofmt', ['-d']);
      child.child.stdin?.end(`package main\n\nfunc main() {\n${body}}\n`);
      expect((await child).stdout).toBe('');
      expect(body).toContain('Env: "test"');
      if (KEY_LOCATIONS !== 'authorization') expect(body).toContain(`KeyLocations: []string{"${locations[0]}"`);
    });

    it.each(['/', '/orders', '/orders?limit=5&after=a%20b', '/a/b/?'])('a signed GET of %s passes', async (target) => {
      const { id, secret, signingSecret } = await gateway.issueSigning();
      for (const { name, code } of signingSnippetsOf({ keyId: id, locations, curlOption })) {
        const call = async (SIGNING_SECRET: string) => {
          const env = {
            PATH: process.env.PATH,
            PYTHONPATH: 'clients/python/src',
            PYTHONDONTWRITEBYTECODE: '1',
            API_KEY: secret,
            SIGNING_SECRET,
            URL: url + target,
          };
          const { stdout } = await run(...commandOf(name, code), { env }).catch(() => ({ stdout: 'failed' }));
          return [name, stdout.trim() === 'passed'];
        };
        expect(await call(signingSecret)).toEqual([name, true]);
        // It was the signature that made it pass.
        expect(await call('0'.repeat(64))).toEqual([name, false]);
      }
    });
  },
);

function commandOf(name: string, code: string): [string, string[]] {
  if (name === 'curl') return ['bash', ['-c', code]];
  return name === 'Node' ? ['node', ['--input-type=module', '-e', code]] : ['python3', ['-c', code]];
}
