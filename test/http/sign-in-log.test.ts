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
