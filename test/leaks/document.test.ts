/** The commands of docs/tasks/leaks.md, with stand-ins for npx and gitleaks. */
import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { blockOf } from '../support/documents.ts';
import { startGateway, verifyAt } from '../support/gateway.ts';
import { inTests } from '../support/in-tests.ts';
import { serviceEnvironment } from '../support/instance.ts';
import { both, sessionToken } from '../support/service.ts';

const verifierToken = 'a-token-of-the-tests-0123456789ab';
const gateway = inTests(() => startGateway('sqlite', { VERIFIER_TOKENS: verifierToken }));

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'latchkey-leaks-'));
  const program = async (name: string, script: string) => {
    await writeFile(join(directory, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(directory, name), 0o755);
  };
  await program('npx', `shift; exec '${process.execPath}' '${resolve('dist/cli/latchkey.js')}' "$@"`);
  // Finds by the expression of the rule, and exits like gitleaks.
  await program('gitleaks', `grep -q "^regex = '''" "$3" && printf '[{"Secret":"%s"}]' "$SECRET" > "$5" && exit 1`);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function run(title: string, variables: NodeJS.ProcessEnv = {}) {
  const script = blockOf('docs/tasks/leaks.md', title).replace('localhost:4001', new URL(gateway.url).host);
  const env = serviceEnvironment({
    LATCHKEY_URL: gateway.running.url,
    LATCHKEY_VERIFY_URL: gateway.url,
    LATCHKEY_VERIFIER_TOKEN: verifierToken,
    LATCHKEY_TOKEN: sessionToken({ [gateway.teamId]: both }),
    VERIFIER_TOKEN: verifierToken,
    TEAM: gateway.teamId,
    ...variables,
    PATH: `${directory}:${process.env.PATH}`,
  });
  const options = { cwd: directory, env };
  return await promisify(execFile)('bash', ['-euc', script], options).then(
    ({ stdout }) => ({ stdout, code: 0 }),
    ({ stdout, code }) => ({ stdout, code }),
  );
}

it('choose a policy, and report a key to the verification port and from a pipeline', async () => {
  expect(await run('What happens to a leaked key')).toEqual({ stdout: 'revoke\n', code: 0 });
  const [reported, found] = [await gateway.issue(), await gateway.issue()];
  const answer = await run('Your own scanners', { SECRET: reported.secret });
  expect(JSON.parse(answer.stdout)).toEqual([
    { token_hash: hash('sha256', reported.secret), token_type: 'wiki', label: 'true_positive' },
  ]);
  const pipeline = await run('Rules for scanners', { SECRET: found.secret, REPOSITORY: 'https://git.example.com/a' });
  expect(pipeline.code).toBe(1);
  expect(pipeline.stdout).toContain('1 of 1 are keys.');
  for (const { secret } of [reported, found]) {
    expect((await verifyAt(gateway.url, { key: secret }, verifierToken)).body.code).toBe('REVOKED');
  }
});
