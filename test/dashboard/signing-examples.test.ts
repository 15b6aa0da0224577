/** The examples that the dashboard shows sign requests that pass, in every language, for every kind of address. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import express from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requireApiKey } from '../../src/client/express.ts';
import { signingExamples } from '../../src/dashboard/secrets/signing-examples.ts';
import { listen, type RunningGateway, startGateway, stopListening } from '../support/gateway.ts';

const run = promisify(execFile);
const programs = {
  curl: ['bash', 'example.sh'],
  Node: ['node', 'example.mjs'],
  Python: ['python3', 'example.py'],
} as const;

let gateway: RunningGateway;
let url: string;
const directory = mkdtempSync(join(tmpdir(), 'latchkey-examples-'));
const app = express();
const api = createServer(app as RequestListener);
beforeAll(async () => {
  gateway = await startGateway('sqlite');
  app.use(requireApiKey({ verifyUrl: gateway.url }), (_, response) => void response.end('passed'));
  url = await listen(api);
});
afterAll(async () => {
  await stopListening(api);
  await gateway.stop();
  rmSync(directory, { recursive: true, force: true });
});

describe.each(signingExamples)('$name', ({ name, code }) => {
  it.each(['/', '/orders', '/orders?limit=5&after=a%20b', '/a/b/?'])('a signed GET of %s passes', async (target) => {
    const [program, file] = programs[name];
    const { id, secret, signingSecret } = await gateway.issueSigning();
    writeFileSync(join(directory, file), code(id));
    const environment = {
      PATH: process.env.PATH,
      API_KEY: secret,
      SIGNING_SECRET: signingSecret,
      URL: `${url}${target}`,
    };
    const { stdout } = await run(program, [join(directory, file)], { env: environment });
    expect(stdout.trim()).toBe('passed');
    // The same with another secret: it was the signature that made it pass.
    const other = { ...environment, SIGNING_SECRET: '0'.repeat(64) };
    const rejected = await run(program, [join(directory, file)], { env: other }).catch(({ stdout, stderr }) => ({
      stdout: stdout + stderr,
    }));
    expect(rejected.stdout).not.toContain('passed');
  });
});
