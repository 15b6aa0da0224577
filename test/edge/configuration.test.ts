import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, expect, it } from 'vitest';
import { addEdgeCommand } from '../../src/cli/operate/edge.ts';
import { ConfigurationError } from '../../src/config/configuration.ts';
import { type EdgeOptions, readEdgeConfiguration } from '../../src/config/edge-configuration.ts';

const directory = mkdtempSync(join(tmpdir(), 'latchkey-edge-'));
afterAll(() => rmSync(directory, { recursive: true }));
const upstream = ['http://10.0.0.1:4001'];
const token = 'a-feed-token-of-the-service';

it('an edge listens where its options say, or the variables of the verification port', () => {
  const { port } = readEdgeConfiguration({ VERIFY_PORT: '4005' }, { upstream });
  expect([port.VERIFY_HOST, port.VERIFY_PORT]).toEqual(['127.0.0.1', 4005]);
  const environment = { VERIFY_PORT: '4005', VERIFIER_TOKENS: 'one-verifier-token' };
  const chosen = readEdgeConfiguration(environment, { upstream, host: '0.0.0.0', port: '4000' }).port;
  expect([chosen.VERIFY_HOST, chosen.VERIFY_PORT]).toEqual(['0.0.0.0', 4000]);
});

it.each([{ WORKERS: 'x' }, { VERIFY_LEASE_MS: '50' }, { DATABASE_URL: 'mysql://', PORT: 'x', JWT_SECRET: 'short' }])(
  'variables of an instance on the same machine, such as %j, are ignored',
  (environment) => {
    expect(readEdgeConfiguration({ ...environment, VERIFY_CACHE_MB: '7' }, { upstream }).port.VERIFY_CACHE_MB).toBe(7);
  },
);

it('the feed token comes from the environment or a file, never from an option', async () => {
  const file = join(directory, 'token');
  writeFileSync(file, `${token}\n`);
  expect(readEdgeConfiguration({ LATCHKEY_FEED_TOKEN: token }, { upstream }).feedToken).toBe(token);
  expect(readEdgeConfiguration({}, { upstream, tokenFile: file }).feedToken).toBe(token);
  expect(readEdgeConfiguration({}, { upstream }).feedToken).toBeUndefined();
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  addEdgeCommand(program);
  const asOption = program.parseAsync(['edge', '--upstream', ...upstream, '--token', token], { from: 'user' });
  await expect(asOption).rejects.toThrow("unknown option '--token'");
});

it.each<[string, NodeJS.ProcessEnv, EdgeOptions, string]>([
  ['no upstream', {}, { upstream: [] }, '--upstream: expected an http or https URL'],
  ['no URL', {}, { upstream: ['10.0.0.1:4001'] }, '--upstream: expected an http or https URL'],
  [
    'a password in a URL',
    {},
    { upstream: ['http://a:secret-b@10.0.0.1'] },
    '--upstream: expected an http or https URL',
  ],
  ['a short token', { LATCHKEY_FEED_TOKEN: 'secret-b' }, { upstream }, 'LATCHKEY_FEED_TOKEN: expected one of the'],
  ['no file', {}, { upstream, tokenFile: '/nowhere' }, '--token-file: expected a file that can be read (ENOENT)'],
  ['no size', { VERIFY_CACHE_MB: 'x' }, { upstream }, 'VERIFY_CACHE_MB: expected a number of megabytes'],
  ['no number', {}, { upstream, port: 'x' }, 'VERIFY_PORT: expected a port number from 0 to 65535'],
  ['no token of its own', {}, { upstream, host: '0.0.0.0' }, 'VERIFIER_TOKENS: expected at least one'],
])('%s is rejected with what is expected, without the value', (_, environment, options, problem) => {
  const read = () => readEdgeConfiguration(environment, options);
  expect(read).toThrow(ConfigurationError);
  expect(read).toThrow(problem);
  expect(read).not.toThrow('secret-b');
});
