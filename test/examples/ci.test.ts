/** The jobs of examples/ci, run by the shell as GitHub Actions and GitLab run them, with tokens as theirs are. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { TestProvider } from '../support/identity-provider.ts';
import { inTests } from '../support/in-tests.ts';
import { recorded } from '../support/recorded-claims.ts';
import { both, rest, sessionToken, startService } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-database.ts';

const run = promisify(execFile);
const running = inTests(async () => {
  const provider = await TestProvider.start({ publicUrl: 'http://127.0.0.1:4000' });
  const service = await startService('sqlite', { TRUSTED_ISSUERS: provider.issuer });
  const stop = async () => {
    await service.stop();
    await provider.stop();
  };
  return { ...service, provider, stop };
});

async function teamTrusting(claims: object): Promise<{ readonly team: string; readonly token: string }> {
  const team = randomUUID();
  const token = sessionToken({ [team]: [...both, 'manage_access'] });
  const { status } = await rest(running.url, token, 'POST', '/v1/trust-rules', {
    ...{ teamId: team, name: 'Deployments', issuer: running.provider.issuer, audience: 'latchkey', claims },
    permissions: ['manage_keys'],
  });
  expect(status).toBe(201);
  return { team, token };
}

async function issue(claims: object, audience: string): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const { issuer } = running.provider;
  return await running.provider.sign({ iss: issuer, aud: audience, iat: now, exp: now + 300, ...claims });
}

const namesOf = async (team: string, token: string): Promise<string[]> =>
  (await rest(running.url, token, 'GET', `/v1/keys?teamId=${team}`)).body.map(({ name }: { name: string }) => name);

it('the workflow of GitHub Actions makes a key, and masks its secret and the token', async () => {
  const { team, token } = await teamTrusting({ repository_id: '74231', ref: 'refs/heads/main' });
  // As GitHub answers a job with `id-token: write`.
  const github = createServer(async ({ url = '', headers }, response) => {
    const audience = new URL(url, 'http://localhost').searchParams.get('audience') ?? '';
    const value = headers.authorization === 'Bearer of-the-job' ? await issue(recorded.github, audience) : null;
    response.end(JSON.stringify({ value }));
  });
  onTestFinished(() => void github.close());
  await new Promise<void>((resolve) => github.listen(0, '127.0.0.1', resolve));
  const address = github.address();
  const port = typeof address === 'object' ? address?.port : null;
  const { jobs } = parse(readFileSync('examples/ci/github-actions.yml', 'utf8'));
  const GITHUB_ENV = join(mkdtempSync(join(temporaryDirectory().path, 'ci-')), 'env');
  writeFileSync(GITHUB_ENV, '');
  let output = '';
  for (const step of jobs.deploy.steps) {
    const set = readFileSync(GITHUB_ENV, 'utf8').split('\n').filter(Boolean);
    const variables = Object.fromEntries(set.map((line) => line.split(/=(.*)/s)));
    const env = {
      ...{
        PATH: process.env.PATH,
        LATCHKEY_URL: running.url,
        LATCHKEY_TEAM: team,
        GITHUB_ENV,
        GITHUB_RUN_ID: '30433642',
      },
      ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${port}/token?api-version=2.0`,
      ...{ ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'of-the-job', ...variables },
    };
    // GitHub's `shell: bash`.
    const { stdout } = await run('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run], { env });
    output += stdout;
  }
  expect(await namesOf(team, token)).toEqual(['Deployment 30433642']);
  const set = readFileSync(GITHUB_ENV, 'utf8');
  for (const name of ['LATCHKEY_TOKEN', 'API_KEY']) {
    const secret = new RegExp(`^${name}=(.+)$`, 'm').exec(set)?.[1];
    expect(output.split(secret ?? name)).toEqual([expect.stringMatching(/::add-mask::$/), expect.any(String)]);
  }
});

it('the job of GitLab makes a key, and prints no secret', async () => {
  const { team, token } = await teamTrusting({ project_id: '20', ref_protected: 'true' });
  const { deploy } = parse(readFileSync('examples/ci/gitlab-ci.yml', 'utf8'));
  const env = {
    ...{ PATH: process.env.PATH, LATCHKEY_URL: running.url, LATCHKEY_TEAM: team, CI_PIPELINE_ID: '1212' },
    SUBJECT_TOKEN: await issue(recorded.gitlab, deploy.id_tokens.SUBJECT_TOKEN.aud),
  };
  const { stdout } = await run('sh', ['-ec', deploy.script.join('\n')], { env });
  expect([stdout, await namesOf(team, token)]).toEqual(['', ['Deployment 1212']]);
});
