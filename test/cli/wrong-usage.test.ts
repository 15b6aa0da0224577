/** Wrong usage of any command: one message and the way to its help, exit code 2, and nothing is sent or printed. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../support/instance.ts';
import { both, sessionToken } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-database.ts';

const id = randomUUID();
const url = 'https://hooks.example.com/services/T0/B0/averysecretpartofthisaddress1234';
const nowhere = 'http://127.0.0.1:1';
const environment = {
  LATCHKEY_URL: nowhere,
  LATCHKEY_VERIFY_URL: nowhere,
  LATCHKEY_TOKEN: sessionToken({ [id]: both }),
  DATA_DIR: temporaryDirectory().path,
};
const run = (args: readonly string[]) => runCommand(args, environment);

const somePermissions =
  'Expected some of view_team, manage_keys, import_keys, manage_webhooks, manage_access, manage_policy, separated by commas.';
const duration = 'Expected a number and s, m, h or d';
const severalWrong = ['--expires', 'soon', '--metadata', '{', '--rate-limit', 'x', '--source', '::', '--source', 'a b'];
const inOrder = ['--team', '--expires', '--metadata', '--rate-limit', '--name', '--source\\[1\\]'];

/** What a command, its options and arguments can be: how commander rejects it, or the command itself. */
const kinds = [
  ['an unknown command', ['nope'], "unknown command 'nope'", ''],
  ['a misspelled command', ['keys', 'lst'], 'Did you mean list?', 'keys'],
  ['an unknown option', ['keys', 'list', '--nope'], "unknown option '--nope'", 'keys list'],
  ['a missing option', ['keys', 'create', '--name', 'x'], "required option '--env <env>' not specified", 'keys create'],
  ['a missing argument', ['keys', 'get'], "missing required argument 'key'", 'keys get'],
  ['too many arguments', ['login', 'now'], "too many arguments for 'login'", 'login'],
  ['a wrong choice', ['leaks', 'policy', 'wrong'], 'Allowed choices are notify, disable, revoke.', 'leaks policy'],
  ['a wrong value', ['keys', 'list', '--limit', '0'], 'Expected a number from 1.', 'keys list'],
  [
    'several wrong values',
    ['keys', 'create', '--team', '1', '--name', ' ', '--env', 'live', ...severalWrong],
    new RegExp(inOrder.map((option) => `${option}: \\w.*`).join('\\n(?:error: )?')),
    'keys create',
  ],
  ['what excludes each other', ['keys', 'update', id], 'nothing to change: give at least one option', 'keys update'],
] as const;

const others = [
  [['usage', 'export', '--days', 'all'], 'Expected a number of days.', 'usage export'],
  [['keys', 'revoke', '12'], 'Expected a UUID', 'keys revoke'],
  [['keys', 'rotate', id, '--overlap', '7'], duration, 'keys rotate'],
  [
    ['keys', 'update', id, '--tag', 'a', '--remove', 'tags'],
    'setting and removing the tags exclude each other',
    'keys update',
  ],
  [['teams', 'name', id, 'two\nlines'], 'must', 'teams name'],
  [['teams', 'name', id, ' '], 'must', 'teams name'],
  [['teams', 'name', 'payments', 'Payments'], 'Expected a UUID', 'teams name'],
  [['webhooks', 'test', url], 'Expected the id of an endpoint', 'webhooks test'],
  [['webhooks', 'update', id], 'nothing to change', 'webhooks update'],
  [['webhooks', 'update', id, '--enable', '--disable'], 'cannot be used with', 'webhooks update'],
  [['webhooks', 'update', id, '--types', 'key.created', '--remove', 'types'], 'exclude each other', 'webhooks update'],
  [['webhooks', 'replay', id], 'give --event, --from or --failed', 'webhooks replay'],
  [['webhooks', 'replay', id, '--event', 'evt_1', '--from', '1h'], 'cannot be used with', 'webhooks replay'],
  [['webhooks', 'replay', id, '--from', 'yesterday'], 'or a time ago such as 30d', 'webhooks replay'],
  [['token', '--team', id, '--team', `${id}0`], 'Expected a UUID.', 'token'],
  [['token', '--team', id, '--can', 'view_team,admin'], somePermissions, 'token'],
  [['token', '--team', id, '--can', ''], somePermissions, 'token'],
  [['token', '--team', id, '--ttl', '0s'], duration, 'token'],
] as const;

async function expectText(args: readonly string[], message: string | RegExp, command: string): Promise<void> {
  const { stdout, stderr, exitCode } = await run(args);
  expect([stdout, exitCode]).toEqual(['', 2]);
  expect(stderr).toMatch(/^(?:error|NO_EVENTS): /);
  if (typeof message === 'string') expect(stderr).toContain(message);
  else expect(stderr).toMatch(message);
  expect(stderr.trimEnd().split('\n').at(-1)).toBe(`Run latchkey${command === '' ? '' : ` ${command}`} --help`);
  // It may be pasted into the wrong place, and a part of it may be a secret.
  expect(stderr).not.toContain('averysecret');
}

describe('is told as text, and with --json as JSON:', () => {
  it.each(kinds)('%s', async (_, args, message, command) => {
    await expectText(args, message, command);
    const { stdout, stderr, exitCode } = await run([...args, '--json']);
    expect([stdout, exitCode]).toEqual(['', 2]);
    const expected = typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message);
    expect(JSON.parse(stderr)).toEqual({ error: { code: 'USAGE', message: expected } });
  });

  it('a long text, which may be a secret, is not repeated', async () => {
    const { stderr } = await run(['keys', 'list', `--${'secret'.repeat(8)}`, '--json']);
    expect(JSON.parse(stderr).error.message).toBe("unknown option '[removed]'");
  });
});

it.each(others)('%j', async (args, message, command) => await expectText(args, message, command));

it('without a known command, prints the usage, or that no command is known as JSON', async () => {
  const usage = { stdout: '', exitCode: 2, stderr: expect.stringMatching(/^Usage: latchkey/) };
  expect(await run([])).toMatchObject(usage);
  expect(await run(['help', 'nope'])).toMatchObject(usage);
  const { stderr } = await run(['help', 'nope', '--json']);
  expect(JSON.parse(stderr)).toEqual({ error: { code: 'USAGE', message: 'a command is missing or not known' } });
});

it.each(['', 'ring', 'keys rotate'])('latchkey %s --help explains the usage', async (command) => {
  const { exitCode, stdout, stderr } = await run([...command.split(' ').filter((word) => word !== ''), '--help']);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toContain(`Usage: latchkey${command === '' ? '' : ' '}${command}`);
});
