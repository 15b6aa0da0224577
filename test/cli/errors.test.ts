/** Files and streams that fail: one plain message without a stack, and with `--json` as JSON. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tableOf } from '../../src/cli/print.ts';
import { startGateway } from '../support/gateway.ts';
import { inTests } from '../support/in-tests.ts';
import { runCommand, serviceEnvironment } from '../support/instance.ts';
import { both, importing, sessionToken } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-database.ts';

const gateway = inTests(() => startGateway('sqlite'));
const directory = temporaryDirectory().path;
const folder = join(directory, 'folder');
mkdirSync(folder);
const team = randomUUID();

const environment = () => ({
  LATCHKEY_URL: gateway.running.url,
  LATCHKEY_VERIFY_URL: gateway.url,
  LATCHKEY_TOKEN: sessionToken({ [team]: [...both, ...importing] }),
  DATABASE_URL: gateway.running.database.url,
  DATA_DIR: directory,
});
const run = (args: readonly string[]) => runCommand(args, environment());

describe('a file that cannot be read or written', () => {
  const missing = join(directory, 'missing');
  const readers = [
    ['keys', 'import', '--format', 'csv', '--team', team],
    ['keys', 'import', '--format', 'ndjson', '--team', team],
    ['reapply'],
    ['leaks', 'report'],
    ['events', 'tail', '--team', team, '--cursor-file'],
  ];

  it.each(readers.map((args) => [args.join(' '), args] as const))('%s', async (_, args) => {
    // A cursor that is missing begins anew.
    const paths = args.includes('--cursor-file') ? [folder] : [missing, folder];
    for (const path of paths) {
      const { stdout, stderr, exitCode } = await run([...args, path]);
      expect([stdout, exitCode]).toEqual(['', 1]);
      expect(stderr).toMatch(/^(?:FAILED|BAD_FILE): [^\n]*(?:ENOENT|EISDIR|cursor)[^\n]*\n$/);
      const asJson = await run([...args, path, '--json']);
      if (args[0] !== 'events') expect(JSON.parse(asJson.stderr).error).toMatchObject({ message: expect.any(String) });
    }
  });

  it('the report of an import whose disk is full', async () => {
    const path = join(directory, 'one.ndjson');
    writeFileSync(path, JSON.stringify({ digest: 'a'.repeat(64), name: 'One', env: 'live' }));
    const { stderr, exitCode } = await run(['keys', 'import', path, '--team', team, '--report', '/dev/full']);
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^FAILED: \/dev\/full: ENOSPC: [^\n]*\n$/)]);
  });

  it.each([
    ['list > /dev/full', [1, /^FAILED: standard output: ENOSPC: [^\n]*\n$/]],
    ['list --json > /dev/full', [1, /^\{"error":\{"code":"FAILED","message":"standard output: ENOSPC: [^\n]*\}\}\n$/]],
    ['list | true', [0, /^$/]],
    ['list --nope 2> /dev/full', [2, /^$/]],
    ['import - --format csv < /', [1, /^FAILED: EISDIR: [^\n]*\n$/]],
  ] as const)('latchkey keys %s', async (command, [exitCode, message]) => {
    const latchkey = `latchkey() { '${process.execPath}' dist/cli/latchkey.js "$@"; }`;
    const script = `set -o pipefail; ${latchkey}; latchkey keys ${command}`;
    const env = serviceEnvironment({ ...environment(), LATCHKEY_TEAM: team });
    const outcome = await new Promise((resolve) => {
      execFile('bash', ['--norc', '-c', script], { env }, (error, _, stderr) =>
        resolve([error === null ? 0 : error.code, stderr]),
      );
    });
    expect(outcome).toEqual([exitCode, expect.stringMatching(message)]);
  });
});

it('the columns of a table are as wide as a terminal shows them', () => {
  const names = ['plain', 'キー', '키', '👩‍👩‍👧 team', '🇩🇪', '❤️', 'e\u0301', 'Ⅷ'];
  const widths = [5, 4, 2, 7, 2, 2, 1, 1];
  const lines = tableOf(
    null,
    names.map((name) => [name, '|']),
  ).split('\n');
  expect(lines).toEqual(names.map((name, i) => `${name}${' '.repeat(7 - (widths[i] ?? 0))}  |`));
});
