/** The examples of docs/tasks/identity-providers.md: tokens with these claims are accepted, and the secrets are usable. */
import { execFile } from 'node:child_process';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import jwt from 'jsonwebtoken';
import { describe, expect, it } from 'vitest';
import { readConfiguration } from '../src/config/configuration.ts';
import { blockOf } from './support/documents.ts';
import { listen, stopListening } from './support/gateway.ts';
import { both, rest, startService } from './support/service.ts';

const document = 'docs/tasks/identity-providers.md';
const run = promisify(execFile);
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** The variables that a shell script exports. */
async function exportedBy(script: string, directory = tmpdir()): Promise<Record<string, string>> {
  const print = `node -p 'JSON.stringify(process.env)'`;
  const before = { PATH: process.env.PATH ?? '', HOME: directory };
  const { stdout } = await run('sh', ['-euc', `${script}\n${print}`], { env: before, cwd: directory });
  const variables: Record<string, string> = JSON.parse(stdout);
  return Object.fromEntries(
    Object.entries(variables).filter(([name]) => /^(?:JWT|KEY|SIGNING|VERIFIER|METRICS|OIDC|PUBLIC)_/.test(name)),
  );
}

/** The status of a list of keys, called with a token of the provider that has these claims. */
async function statusWith(environment: Record<string, string>, teamId: string, claims: Record<string, unknown>) {
  const keys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'a', use: 'sig', alg: 'RS256' }];
  const provider = createServer((_, response) => response.end(JSON.stringify({ keys })));
  const JWT_JWKS_URL = await listen(provider);
  const service = await startService('sqlite', { ...environment, JWT_JWKS_URL, JWT_SECRET: undefined });
  try {
    const { JWT_ISSUER: iss, JWT_AUDIENCE: aud } = environment;
    const payload = { sub: 'someone', iss, aud, ...claims };
    const token = jwt.sign(payload, privateKey, { algorithm: 'RS256', keyid: 'a', expiresIn: '1h' });
    return (await rest(service.url, token, 'GET', `/v1/keys?teamId=${teamId}`)).status;
  } finally {
    await service.stop();
    await stopListening(provider);
  }
}

describe('the examples for identity providers', () => {
  it('accept an access token of Auth0 with the claim that the Action sets', async () => {
    const teamId = randomUUID();
    const claims: Record<string, unknown> = {};
    const action: { onExecutePostLogin?: (event: unknown, api: unknown) => Promise<void> } = {};
    new Function('exports', blockOf(document, 'Auth0', 0))(action);
    await action.onExecutePostLogin?.(
      { user: { app_metadata: { teams: { [teamId]: both } } } },
      { accessToken: { setCustomClaim: (name: string, value: unknown) => Object.assign(claims, { [name]: value }) } },
    );
    expect(Object.keys(claims)).toHaveLength(1);
    const environment = await exportedBy(blockOf(document, 'Auth0', 1));
    readConfiguration(environment);
    expect(await statusWith(environment, teamId, claims)).toBe(200);
    expect(await statusWith(environment, randomUUID(), claims)).toBe(403);
  });

  it('accept an access token of Keycloak with the claim that the mapper sets', async () => {
    const teamId = randomUUID();
    const { config } = JSON.parse(blockOf(document, 'Keycloak', 0));
    expect(config).toMatchObject({ 'jsonType.label': 'JSON', 'access.token.claim': 'true' });
    // Of type JSON: the claim is the value that the text of the attribute stands for.
    const claims = { [config['claim.name']]: { [teamId]: both } };
    const environment = await exportedBy(blockOf(document, 'Keycloak', 1));
    readConfiguration(environment);
    expect(await statusWith(environment, teamId, claims)).toBe(200);
    expect(await statusWith(environment, teamId, { ...claims, aud: 'account' })).toBe(401);
  });

  it.each([
    ['Sign in with Keycloak', 0, 'latchkey_teams'],
    ['Sign in with Auth0', 1, 'https://latchkey.example.com/teams'],
    ['Sign in with Entra ID', 0, 'roles'],
  ])('%s with variables that the configuration accepts', async (title, block, claim) => {
    const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, PUBLIC_URL, ...others } = readConfiguration(
      await exportedBy(blockOf(document, title, block)),
    );
    expect([OIDC_ISSUER?.protocol, PUBLIC_URL?.href]).toEqual(['https:', 'https://latchkey.example.com/']);
    expect([OIDC_CLIENT_ID, OIDC_CLIENT_SECRET]).toEqual([expect.any(String), expect.any(String)]);
    expect(others.JWT_TEAMS_CLAIM).toBe(claim);
  });

  it('put the claim of the Action of Auth0 into the ID token, under the name that Latchkey reads', async () => {
    const action: { onExecutePostLogin?: (event: unknown, api: unknown) => Promise<void> } = {};
    new Function('exports', blockOf(document, 'Sign in with Auth0', 0))(action);
    const claims: Record<string, unknown> = {};
    await action.onExecutePostLogin?.(
      { user: { app_metadata: { teams: {} } } },
      { idToken: { setCustomClaim: (name: string, value: unknown) => Object.assign(claims, { [name]: value }) } },
    );
    const environment = await exportedBy(blockOf(document, 'Sign in with Auth0', 1));
    expect(claims).toEqual({ [environment.JWT_TEAMS_CLAIM ?? '']: {} });
  });

  it('create secrets and keys that the configuration accepts', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'latchkey-secrets-'));
    try {
      const secrets = await exportedBy(blockOf(document, 'Secrets of your own', 0), directory);
      expect(Object.keys(secrets)).toHaveLength(5);
      readConfiguration(secrets);
      const { JWT_SECRET, ...others } = secrets;
      const { JWT_PUBLIC_KEY = '' } = await exportedBy(blockOf(document, 'Secrets of your own', 1), directory);
      expect(readConfiguration({ ...others, JWT_PUBLIC_KEY }).JWT_PUBLIC_KEY?.algorithm).toBe('ES256');
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
