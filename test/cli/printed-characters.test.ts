// SECURITY.md: Text in the dashboard or on a terminal, such as the name of a key
/** Nothing that a service, a caller or another server chose makes the terminal of a person do anything. */
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createKey } from '../../src/manage/change/create-key.ts';
import { updateKey } from '../../src/manage/change/update-key.ts';
import { listen, startGateway, stopListening } from '../support/gateway.ts';
import { inTests } from '../support/in-tests.ts';
import { runCommand } from '../support/instance.ts';
import { both, callerOf, sessionToken } from '../support/service.ts';

const gateway = inTests(() => startGateway('sqlite'));

/** All of C1, DEL, an escape sequence, bidirectional controls, separators of lines, and an emoji, which is printed. */
const c1 = Array.from({ length: 32 }, (_, i) => String.fromCharCode(0x80 + i)).join('');
const hostile = `${c1}\u007f\u001b]0;title\u0007\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029\r😀`;
const interpreted = /(?!\r\n)[^\P{Cc}\t\n]|[\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\ufffd]/u;

const environment = (url = gateway.running.url) => ({
  LATCHKEY_URL: url,
  LATCHKEY_VERIFY_URL: url === gateway.running.url ? gateway.url : url,
  LATCHKEY_TEAM: gateway.teamId,
  LATCHKEY_TOKEN: sessionToken({ [gateway.teamId]: both }),
});

async function keyWithHostileMetadata() {
  const caller = callerOf({ [gateway.teamId]: both });
  const input = { teamId: gateway.teamId, name: 'a name', env: 'test' } as const;
  const { apiKey: key, secret } = await createKey(gateway.management, caller, {
    ...input,
    metadata: { [hostile]: hostile },
  });
  await updateKey(gateway.management, caller, key.id, { metadata: { note: hostile } });
  return { id: key.id, secret };
}

describe('what a service says is printed without a character that a terminal interprets', () => {
  it.each([
    'keys get KEY',
    'keys get KEY --json',
    'keys list',
    'keys list --json',
    'keys export',
    'keys export --format csv',
    'keys update KEY --description changed',
    'audit export',
    'audit export --format csv',
    'events tail --from-start',
    'verify',
    'verify --json',
    'whoami',
  ])('latchkey %s', async (command) => {
    const args = command.split(' ');
    const { id, secret } = await keyWithHostileMetadata();
    const { stdout, stderr, exitCode } = await runCommand(
      args.map((arg) => (arg === 'KEY' ? id : arg)),
      environment(),
      secret,
    );
    expect({ stderr, exitCode }).toMatchObject({ exitCode: 0 });
    expect(stdout).not.toMatch(interpreted);
    const showsMetadata = args[0] === 'verify' || /get|export|tail/.test(args[1] ?? '') || args.includes('--json');
    if (showsMetadata) expect(stdout).toContain(`\\u009b`);
  });

  it('and JSON and an export keep their values', async () => {
    const { id } = await keyWithHostileMetadata();
    const run = async (...args: readonly string[]) => (await runCommand(args, environment())).stdout;
    expect(JSON.parse(await run('keys', 'get', id, '--json'))).toMatchObject({
      name: 'a name',
      metadata: { note: hostile },
    });
    const exported = (await run('keys', 'export')).split('\n').find((line) => line.includes(id));
    expect(JSON.parse(exported ?? '')).toMatchObject({ name: 'a name', metadata: { note: hostile } });
    const row = (await run('keys', 'export', '--format', 'csv')).split('\r\n').find((line) => line.startsWith(id));
    expect(row).toContain('a name');
    const cell = /"(\{""note"":""(?:[^"]|"")*""\})"/.exec(row ?? '')?.[1] ?? '';
    expect(JSON.parse(cell.replaceAll('""', '"'))).toEqual({ note: hostile });
  });
});

describe('what another server says is printed in one line, without a character that a terminal interprets', () => {
  const problem = JSON.stringify({ code: `A${hostile}`, detail: `first\nsecond\t${hostile}` });
  const error = JSON.stringify({ errors: [{ message: `first\nsecond\t${hostile}`, extensions: { code: hostile } }] });
  it.each([
    ['a problem', problem],
    ['an error of GraphQL', error],
    ['a page', `<html>${hostile}`],
  ])('%s from another server', async (_, body) => {
    const server = createServer((_, response) => response.writeHead(400).end(body));
    const url = await listen(server);
    onTestFinished(() => stopListening(server));
    for (const args of [['keys', 'list'], ['whoami'], ['verify'], ['events', 'tail', '--from-start']]) {
      const text = await runCommand(args, environment(url), 'a key');
      expect(text).toMatchObject({ stdout: '', exitCode: 1 });
      expect(text.stderr).not.toMatch(interpreted);
      expect(text.stderr.trim().split('\n')).toHaveLength(1);
      const json = await runCommand(
        [...args, '--json'].filter((arg) => args[0] !== 'events' || arg !== '--json'),
        environment(url),
        'a key',
      );
      expect(json.stderr).not.toMatch(interpreted);
    }
  });
});

it('has one place that writes to standard output and standard error', () => {
  const writes = /console\s*[.[]|process\s*[.[]\s*['"]?std(?:out|err)\b(?!\.(?:isTTY|on\b))|writeSync/;
  const files = readdirSync('src/cli', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const found = files.filter((file) => writes.test(readFileSync(join('src/cli', file), 'utf8')));
  // Questions and the bar of a progress, which are at a terminal only: see there.
  expect(found.sort()).toEqual(['print.ts', 'progress.ts', 'prompt.ts']);
});
