// SECURITY.md: `secrets.json` or the environment
/** Secrets in files: in the configuration of the service, of its commands and of an edge. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, test } from 'vitest';
import {
  inheritConfiguration,
  readClientConfiguration,
  readConfiguration,
  similarVariables,
} from '../../src/config/configuration.ts';
import { readEdgeConfiguration } from '../../src/config/edge-configuration.ts';
import { secretFileVariables } from '../../src/config/file-variables.ts';
import { temporaryDirectory } from '../support/temporary-database.ts';

const directory = temporaryDirectory().path;
const upstream = ['http://10.0.0.1:4001'];
const token = 'a-token-of-16-or-more-characters';

function file(contents: string | Uint8Array): string {
  const path = join(directory, randomBytes(8).toString('hex'));
  writeFileSync(path, contents);
  return path;
}

it('reads the value of a variable from a file, without the line break at its end', () => {
  const secret = '  a secret with spaces, of 32 bytes or more ';
  for (const ending of ['', '\n', '\r\n']) {
    expect(readConfiguration({ JWT_SECRET_FILE: file(secret + ending) }).JWT_SECRET).toBe(secret);
  }
  const environment = { VERIFY_HOST: '0.0.0.0', VERIFIER_TOKENS_FILE: file(`${token},${token}2\n`) };
  expect(readConfiguration(environment).VERIFIER_TOKENS).toEqual([token, `${token}2`]);
  const url = 'postgresql://latchkey:password@db/latchkey';
  expect(readConfiguration({ DATABASE_URL_FILE: file(url), VERIFY_LEASE_MS: '50' }).DATABASE_URL).toMatchObject({
    provider: 'postgresql',
  });
});

it('reads the tokens of commands and edges from files too', () => {
  const path = file(`${token}\n`);
  expect(readClientConfiguration({ LATCHKEY_TOKEN_FILE: path }).LATCHKEY_TOKEN).toBe(token);
  const environment = { LATCHKEY_FEED_TOKEN_FILE: path, VERIFY_HOST: '0.0.0.0', VERIFIER_TOKENS_FILE: path };
  const { feedToken, port } = readEdgeConfiguration(environment, { upstream });
  expect([feedToken, port.VERIFIER_TOKENS]).toEqual([token, [token]]);
  // Of the service on the same machine.
  expect(() => readEdgeConfiguration({ KEY_PEPPERS_FILE: '/nowhere' }, { upstream })).not.toThrow();
});

it('rejects the list of tokens of the upstream as the token of an edge', () => {
  const read = () => readEdgeConfiguration({ LATCHKEY_FEED_TOKEN_FILE: file(`${token},${token}2\n`) }, { upstream });
  expect(read).toThrow('LATCHKEY_FEED_TOKEN_FILE: expected one of the FEED_TOKENS');
});

const invalid: readonly (readonly [string, () => NodeJS.ProcessEnv, string])[] = [
  ['a file that does not exist', () => ({ JWT_SECRET_FILE: '/nowhere/a-secret' }), 'that can be read (ENOENT)'],
  ['a directory', () => ({ JWT_SECRET_FILE: directory }), 'that can be read (EISDIR)'],
  ['no path', () => ({ JWT_SECRET_FILE: '' }), 'that can be read (ENOENT)'],
  [
    'bytes that are not UTF-8',
    () => ({ JWT_SECRET_FILE: file(new Uint8Array(40).fill(0xff)) }),
    'that can be read (ERR_',
  ],
  [
    'an empty file',
    () => ({ JWT_SECRET_FILE: file('\n') }),
    'at least 32 bytes (RFC 7518, section 3.2); it is set, but',
  ],
  ['a short secret', () => ({ JWT_SECRET_FILE: file('a-secret') }), 'at least 32 bytes'],
  [
    'the value as well',
    () => ({ JWT_SECRET_FILE: file('a-secret'), JWT_SECRET: 'a-secret of 32 bytes or more, valid' }),
    'only where JWT_SECRET',
  ],
];

test.each(invalid)(
  '%s is a problem that names the variable, once, and never the contents',
  (_, environment, expected) => {
    let problem = '';
    try {
      readConfiguration({ ...environment(), PORT: 'x' });
    } catch (error) {
      problem = String(error);
    }
    expect(problem).toContain(`JWT_SECRET_FILE: expected`);
    expect(problem).toContain(expected);
    expect(problem).toContain('PORT: expected a port number');
    expect(problem.match(/JWT_SECRET_FILE:/g)).toHaveLength(1);
    expect(problem).not.toContain('a-secret');
  },
);

it('does not report as missing what an unreadable file has', () => {
  const read = () => readConfiguration({ VERIFY_HOST: '0.0.0.0', VERIFIER_TOKENS_FILE: '/nowhere' });
  expect(read).toThrow('VERIFIER_TOKENS_FILE: expected a file');
  expect(read).not.toThrow('at least one');
});

it('gives the processes of the service the contents, so that a changed file changes none of them alone', () => {
  const environment: NodeJS.ProcessEnv = { METRICS_TOKEN_FILE: file(token), PORT: '4000' };
  inheritConfiguration(environment);
  expect(environment).toEqual({ METRICS_TOKEN: token, PORT: '4000' });
});

it('knows the misspelled name of such a variable', () => {
  expect(similarVariables({ KEY_PEPPER_FILE: 'x' })).toEqual([
    expect.stringContaining('did you mean KEY_PEPPERS_FILE'),
  ]);
  expect(similarVariables(Object.fromEntries(secretFileVariables.map((name) => [name, 'x'])))).toEqual([]);
});
