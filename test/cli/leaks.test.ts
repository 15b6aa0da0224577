/** `latchkey leaks`: reports of leaked keys, rules for scanners, and the policy of a team. */
import { hash, randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { scannerRules } from '../../src/leaks/scanner-rules.ts';
import { startGateway, verifyAt } from '../support/gateway.ts';
import { inTests } from '../support/in-tests.ts';
import { runCommand } from '../support/instance.ts';
import { both, sessionToken } from '../support/service.ts';

const verifierToken = 'a-token-of-the-tests-0123456789ab';
const gateway = inTests(() => startGateway('sqlite', { VERIFIER_TOKENS: verifierToken }));

const run = (args: readonly string[], input = '', env: NodeJS.ProcessEnv = {}) =>
  runCommand(
    ['leaks', ...args],
    {
      LATCHKEY_URL: gateway.running.url,
      LATCHKEY_VERIFY_URL: gateway.url,
      LATCHKEY_VERIFIER_TOKEN: verifierToken,
      LATCHKEY_TOKEN: sessionToken({ [gateway.teamId]: both }),
      ...env,
    },
    input,
  );

const leaksOf = async (keyId: string) => {
  const entries = await gateway.management.store.auditLog.list({ teamId: gateway.teamId, keyId, limit: 10 });
  return entries.flatMap(({ action, details }) => (action === 'KEY_EXPOSED' ? [details?.leak] : []));
};
const prefixOf = (secret: string) => secret.slice(0, 16);

describe('report', () => {
  it('finds the keys in any text, reports each once, and prints their prefixes only', async () => {
    const [a, b] = [await gateway.issue(), await gateway.issue({ env: 'test' })];
    const log = `GET /?key=${a.secret} 200\nGET /?key=${a.secret} 200\n{"Secret":"${b.secret}"}\n`;
    const { stdout, stderr, exitCode } = await run(
      ['report', '-', '--source', 'log', '--url', 'https://logs.example'],
      log,
    );
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect(stdout).toBe(
      `${prefixOf(a.secret)}  leaked  https://logs.example
${prefixOf(b.secret)}  leaked  https://logs.example
2 of 2 are keys. Their teams are told by the event key.exposed.
`,
    );
    expect(await leaksOf(a.id)).toEqual([{ source: 'log', url: 'https://logs.example', action: 'NOTIFY' }]);
  });

  it('takes a file in the format of GitHub, whose texts of another format it prints by their hash', async () => {
    const { id, secret } = await gateway.issue();
    const match = { type: 'scan', url: 'https://example.com/1', source: 'wiki' };
    const file = join(tmpdir(), `latchkey-leaks-${randomUUID()}.json`);
    onTestFinished(() => rm(file));
    const others = Array.from({ length: 60 }, (_, i) => ({ ...match, token: `other ${i}` }));
    await writeFile(file, JSON.stringify([{ ...match, token: secret }, ...others]));
    const { stdout, exitCode } = await run(['report', file, '--json']);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual([
      { token: prefixOf(secret), isKey: true, ...match },
      ...others.map(({ token }) => ({
        ...match,
        token: `sha256:${hash('sha256', token).slice(0, 12)}`,
        isKey: false,
      })),
    ]);
    expect(stdout).not.toContain(secret);
    expect(await leaksOf(id)).toEqual([{ source: 'wiki', url: 'https://example.com/1', action: 'NOTIFY' }]);
  });

  it.each([
    ['a file without keys', 'nothing here', { exitCode: 0, stdout: 'The file has no keys.\n', stderr: '' }],
    [
      'a match that cannot be a key',
      '[{"token":"secret\\n","type":"a"}]',
      {
        exitCode: 0,
        stdout: expect.stringMatching(/^sha256:[0-9a-f]{12} +not a key[\s\S]*0 of 1 are keys/),
        stderr: '',
      },
    ],
  ])('%s', async (_, text, outcome) => {
    expect(await run(['report', '-'], text)).toEqual(outcome);
  });

  it('says that the verifier token is missing, and never repeats a key that is pasted in place of a file', async () => {
    const { secret } = await gateway.issue();
    const without = await run(['report', '-'], secret, { LATCHKEY_VERIFIER_TOKEN: 'another-token-0123456789' });
    expect([without.exitCode, without.stderr]).toEqual([1, expect.stringContaining('UNAUTHENTICATED')]);
    expect(without.stderr).not.toContain(secret);
    const pasted = await run(['report', secret]);
    expect([pasted.exitCode, pasted.stderr]).toEqual([1, expect.stringContaining("open '[removed]'")]);
    expect(pasted.stderr).not.toContain(secret);
  });
});

describe('rules', () => {
  it.each(['gitleaks', 'trufflehog'] as const)('print those of %s for KEY_TAG', async (format) => {
    const { stdout } = await run(['rules', '--format', format], '', { KEY_TAG: 'acme' });
    expect(stdout).toBe(scannerRules[format]('acme'));
  });

  it('are those of gitleaks and of the default tag, if nothing is said', async () => {
    expect((await run(['rules'])).stdout).toBe(scannerRules.gitleaks('lk'));
  });
});

describe('policy', () => {
  it('is shown and chosen, and applies to what is reported next', async () => {
    expect(await run(['policy'])).toEqual({ exitCode: 0, stdout: 'notify\n', stderr: '' });
    expect((await run(['policy', 'revoke', '--team', gateway.teamId])).stdout).toBe('revoke\n');
    expect(JSON.parse((await run(['policy', '--json'])).stdout)).toEqual({ teamId: gateway.teamId, policy: 'REVOKE' });
    const { secret } = await gateway.issue();
    await run(['report', '-'], secret);
    expect((await verifyAt(gateway.url, { key: secret }, verifierToken)).body.code).toBe('REVOKED');
  });
});
