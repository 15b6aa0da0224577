// SECURITY.md: A log or a trace
import { randomUUID } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { Browser, openCallback, signInAtProvider, signInWith } from '../support/browser.ts';
import { temporaryDatabase } from '../support/databases.ts';
import { freePort } from '../support/free-port.ts';
import { clientSecret, TestProvider } from '../support/identity-provider.ts';
import { killInstances, startInstance } from '../support/instance.ts';
import { both, sessionToken } from '../support/service.ts';

afterEach(killInstances);

it('at the most verbose level, the log has no code, token, cookie or text of a sign-in, whether it succeeds or fails', async () => {
  const port = String(await freePort());
  const provider = await TestProvider.start({ publicUrl: `http://127.0.0.1:${port}` });
  const database = await temporaryDatabase('sqlite');
  const environment = { DATABASE_URL: database.url, DATA_DIR: database.directory, LOG_LEVEL: 'trace' };
  const instance = await startInstance({ ...environment, ...provider.environment, PORT: port });
  try {
    provider.behavior.teams = { [randomUUID()]: both };
    const atProvider = new Browser(provider.issuer);
    const { browser, callback, location } = await signInWith(new Browser(instance.url), atProvider, '/a-page');
    expect(location).toBe('/#/a-page');
    await browser.send('POST', '/session/renew');
    const cookies = [...browser.cookies.values()];
    await browser.send('DELETE', '/session');
    provider.behavior.tamper = (claims) => ({ claims: { ...claims, nonce: 'a-wrong-nonce' } });
    await signInWith(browser, atProvider);
    const used = await signInAtProvider(browser, atProvider);
    used.searchParams.set('code', callback.searchParams.get('code') ?? '');
    expect((await openCallback(browser, used)).headers.get('location')).toContain('rejected');
    const denied = new URL(`/session/callback?error=access_denied&error_description=a-text-of-others`, instance.url);
    await openCallback(browser, denied);
    const token = sessionToken({});
    await browser.send('POST', '/session', { body: { token } });
    const logoutToken = await provider.logoutToken({ sub: 'alice' });
    const body = new URLSearchParams({ logout_token: logoutToken });
    await fetch(`${instance.url}/session/back-channel-logout`, { method: 'POST', body });
    expect(await instance.stop()).toBe(0);
    const log = instance.output();
    expect(log).toContain('"path":"/session/callback"');
    expect(log).toContain('"failure":"rejected","problem":"OAUTH');
    const parameters = [...callback.searchParams, ...used.searchParams].flatMap(([name, value]) =>
      name === 'iss' ? [] : [value],
    );
    const texts = ['a-page', 'a-wrong-nonce', 'a-text-of-others', clientSecret, token, logoutToken];
    for (const text of [...parameters, ...cookies, ...texts]) expect(log).not.toContain(text);
    // The beginning of every JWT and JWE.
    expect(log).not.toContain('eyJ');
  } finally {
    await killInstances();
    await provider.stop();
    await database.remove();
  }
});

it('claims without teams are logged by their names and kinds, without their values', async () => {
  const port = String(await freePort());
  const provider = await TestProvider.start({ publicUrl: `http://127.0.0.1:${port}` });
  const database = await temporaryDatabase('sqlite');
  const environment = { ...provider.environment, JWT_TEAMS_CLAIM: 'realm_access.roles' };
  const instance = await startInstance({ DATA_DIR: database.directory, ...environment, PORT: port });
  const canary = 'canary-of-a-value';
  const secretName = `a name with a secret ${canary}`;
  try {
    const roles: readonly unknown[] = [undefined, [canary], { acme: [canary] }];
    for (const role of roles) {
      const sent = { realm_access: { roles: role, x: canary }, groups: [canary], [secretName]: 1, empty: '' };
      provider.behavior.tamper = (claims) => ({ claims: { ...claims, ...sent } });
      const { location } = await signInWith(new Browser(instance.url), new Browser(provider.issuer));
      expect(location).toBe('/#/signed-out?reason=no-teams');
    }
    expect(await instance.stop()).toBe(0);
    const problems = instance.output().match(/^.*"msg":"sign-in failed".*$/gm) ?? [];
    const [missing, ...unusable] = problems.map((line) => JSON.parse(line).problem);
    expect(missing).toMatch(/^realm_access\.roles is missing; the provider sent: sub \(text\), /);
    const own = `, realm_access \\(object with x\\), groups \\(list of 1\\), a name of ${secretName.length} characters \\(number\\), empty \\(empty text\\)`;
    expect(missing).toMatch(RegExp(own));
    expect(unusable).toHaveLength(2);
    for (const problem of unusable) {
      expect(problem).toMatch(
        /^realm_access\.roles must be an object from team ids \(UUIDs\) to lists of permissions; the provider sent: .*realm_access \(object with roles, x\)/,
      );
    }
    expect(instance.output()).not.toContain(canary);
  } finally {
    await killInstances();
    await provider.stop();
    await database.remove();
  }
});

it('a wrong OIDC_CLIENT_SECRET is logged by the name of the variable, without its value', async () => {
  const port = String(await freePort());
  const provider = await TestProvider.start({ publicUrl: `http://127.0.0.1:${port}` });
  const database = await temporaryDatabase('sqlite');
  const wrong = 'canary-of-a-wrong-secret';
  const environment = { ...provider.environment, OIDC_CLIENT_SECRET: wrong };
  const instance = await startInstance({ DATA_DIR: database.directory, ...environment, PORT: port });
  try {
    const { location } = await signInWith(new Browser(instance.url), new Browser(provider.issuer));
    expect(location).toBe('/#/signed-out?reason=rejected');
    expect(await instance.stop()).toBe(0);
    const [line = '{}'] = instance.output().match(/^.*"msg":"sign-in failed".*$/m) ?? [];
    expect(JSON.parse(line).problem).toBe(
      'the identity provider rejects Latchkey as a client: check OIDC_CLIENT_ID and OIDC_CLIENT_SECRET (OAUTH_WWW_AUTHENTICATE_CHALLENGE 401)',
    );
    expect(instance.output()).not.toContain(wrong);
  } finally {
    await killInstances();
    await provider.stop();
    await database.remove();
  }
});
