// SECURITY.md: A session token
/** What the command line does at a terminal: questions, secrets that are not shown, and colors. */
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { inTests } from '../support/in-tests.ts';
import { runCommand } from '../support/instance.ts';
import { both, sessionToken } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-database.ts';
import { runAtTerminal, type Typed } from '../support/terminal.ts';

const gateway = inTests(() => startGateway('sqlite'));
const home = temporaryDirectory().path;

const environment = (more: NodeJS.ProcessEnv = {}) => ({
  LATCHKEY_URL: gateway.running.url,
  LATCHKEY_VERIFY_URL: gateway.url,
  LATCHKEY_TOKEN: sessionToken({ [gateway.teamId]: both }),
  XDG_CONFIG_HOME: home,
  ...more,
});
const type = (command: string, answers: readonly Typed[] = [], more: NodeJS.ProcessEnv = {}) =>
  runAtTerminal(command, environment(more), answers);

async function stateOf(id: string): Promise<string> {
  return JSON.parse((await runCommand(['keys', 'get', id, '--json'], environment())).stdout).state;
}

describe('a secret is asked for without being shown', () => {
  it('verify shows the verdict, and nothing of the key that was typed', async () => {
    const { secret, id } = await gateway.issue();
    const { screen, exitCode } = await type('latchkey verify', [{ after: 'Key: ', text: `${secret}\r` }]);
    expect(exitCode).toBe(0);
    expect(screen).toMatch(/^Key: \r\nvalid +true/);
    expect(screen).toContain(id);
    expect(screen).not.toContain(secret.slice(-20));
    // The terminal of this test does show what is typed into a program that does not prevent it.
    expect((await type('echo ready; read -r line', [{ after: 'ready', text: 'shown\r' }])).screen).toContain('shown');
  });

  it('login stores a token of more characters than a line of a terminal has, and shows nothing of it', async () => {
    const teams = Object.fromEntries(Array.from({ length: 60 }, () => [crypto.randomUUID(), both]));
    const token = sessionToken({ ...teams, [gateway.teamId]: both });
    expect(token.length).toBeGreaterThan(4096);
    const unset = { LATCHKEY_TOKEN: undefined };
    const { screen, exitCode } = await type(
      `latchkey login --team ${gateway.teamId}`,
      [{ after: `Session token for ${gateway.running.url}: `, text: `${token}\r` }],
      unset,
    );
    expect(screen).toContain('Logged in to');
    expect(exitCode).toBe(0);
    for (const part of token.match(/.{40}/g) ?? ['none']) expect(screen).not.toContain(part);
    const { stdout } = await runCommand(['keys', 'list', '--json'], environment(unset));
    expect(JSON.parse(stdout)).toBeInstanceOf(Array);
  });

  it.each([
    ['Ctrl+C', '\x03'],
    ['Ctrl+D', '\x04'],
  ])('%s ends the command without a verification', async (_, text) => {
    const { screen, exitCode } = await type('latchkey verify', [{ after: 'Key: ', text }]);
    expect(exitCode).toBe(1);
    expect(screen).toMatch(/CANCELED.*nothing was done/);
  });
});

describe('a change that cannot be undone', () => {
  const question = '? [y/N] ';

  it.each([
    ['keys revoke', 'Permanently revoke', ['\r', 'yesss\r', '\x04']],
    ['keys rotate', 'Replace, without overlap, the secret of', ['n\r']],
    ['keys end-overlap', 'End the previous secrets of', ['\r']],
    ['signing disable', 'Accept unsigned requests, and delete the signing secret of', ['no\r']],
    ['signing rotate', 'Replace, without overlap, the signing secret of', ['N\r']],
  ])('%s names the key, and anything but yes changes nothing', async (command, text, answers) => {
    const { id, secret } = await gateway.issue();
    const before = (await runCommand(['keys', 'get', id, '--json'], environment())).stdout;
    for (const answer of answers) {
      const { screen, exitCode } = await type(`latchkey ${command} ${id}`, [{ after: question, text: answer }]);
      expect(exitCode).toBe(1);
      expect(screen).toContain(`${text} ${secret.slice(0, 16)} "`);
      expect(screen).toMatch(/CANCELED.*nothing was done/);
    }
    const after = (await runCommand(['keys', 'get', id, '--json'], environment())).stdout;
    expect(JSON.parse(after)).toEqual(JSON.parse(before));
  });

  it('is made after yes, and without a question with --yes, with --json, with an overlap and in scripts', async () => {
    const answered = await gateway.issue();
    const { screen } = await type(`latchkey keys revoke ${answered.id}`, [{ after: question, text: 'y\r' }]);
    expect(screen).toContain('Revoked lk_');
    expect(await stateOf(answered.id)).toBe('REVOKED');
    for (const [command, silent] of [
      ['keys revoke', '--yes'],
      ['keys revoke', '--json'],
      ['keys revoke', '</dev/null'],
      ['keys revoke', '2>/dev/null'],
    ]) {
      const { id } = await gateway.issue();
      const outcome = await type(`latchkey ${command} ${id} ${silent}`);
      expect([outcome.exitCode, outcome.screen.includes(question)], silent).toEqual([0, false]);
      expect(await stateOf(id)).toBe('REVOKED');
    }
    const { id } = await gateway.issue();
    const { screen: rotated } = await type(`latchkey keys rotate ${id} --overlap 1h`);
    expect(rotated).toContain('the previous secret is accepted until');
    // A script from before there was a question.
    expect((await runCommand(['keys', 'revoke', id], environment())).exitCode).toBe(0);
  });

  it('is asked about by its id if the session token does not permit reading the key', async () => {
    const { id } = await gateway.issue();
    const LATCHKEY_TOKEN = sessionToken({ [gateway.teamId]: ['manage_keys'] });
    const answers = [{ after: `Permanently revoke ${id}${question}`, text: 'yes\r' }];
    expect((await type(`latchkey keys revoke ${id}`, answers, { LATCHKEY_TOKEN })).exitCode).toBe(0);
    expect(await stateOf(id)).toBe('REVOKED');
  });
});

describe('colors', () => {
  const color = '\u001b[';

  it('are on a terminal, and neither with NO_COLOR, nor in a pipe, nor in JSON', async () => {
    await gateway.issue();
    const screenOf = async (command: string, more: NodeJS.ProcessEnv = {}) => (await type(command, [], more)).screen;
    expect(await screenOf('latchkey keys list')).toContain(`${color}32mactive`);
    expect(await screenOf('latchkey keys list', { NO_COLOR: '1' })).not.toContain(color);
    expect(await screenOf('latchkey keys list | cat')).not.toContain(color);
    expect(await screenOf('latchkey keys list --json')).not.toContain(color);
    expect(await screenOf('latchkey keys get nonsense')).not.toContain('nonsense');
    const unknown = crypto.randomUUID();
    expect(await screenOf(`latchkey keys get ${unknown}`)).toContain(`${color}31mKEY_NOT_FOUND`);
  });

  it('are everywhere with FORCE_COLOR, and never change what is aligned', async () => {
    await gateway.issue();
    const plain = (await runCommand(['keys', 'list'], environment())).stdout;
    const { stdout } = await runCommand(['keys', 'list'], environment({ FORCE_COLOR: '1' }));
    expect(stdout).toContain(`${color}32mactive`);
    expect(stripVTControlCharacters(stdout)).toBe(plain);
  });
});
