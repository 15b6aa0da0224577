// SECURITY.md: A website that a signed-in user visits
/** What a page of another site can make the browser of a signed-in user send. */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { inTests } from '../support/in-tests.ts';
import { both, sessionToken, startService } from '../support/service.ts';

const running = inTests(() => startService('sqlite'));

const team = randomUUID();
const token = sessionToken({ [team]: both });
const create = `mutation { createKey(input: { teamId: "${team}", name: "x", env: live }) { secret } }`;
const bodies = {
  'text/plain': JSON.stringify({ query: create }),
  'application/x-www-form-urlencoded': new URLSearchParams({ query: create }).toString(),
  'multipart/form-data; boundary=x': `--x\r\nContent-Disposition: form-data; name="query"\r\n\r\n${create}\r\n--x--`,
};

it.each(Object.keys(bodies))('a form sent as %s changes nothing, even with a session token', async (type) => {
  const body = Object.entries(bodies).find(([name]) => name === type)?.[1] ?? '';
  for (const path of ['/graphql', '/v1/keys']) {
    const headers = { authorization: `Bearer ${token}`, 'content-type': type };
    const response = await fetch(running.url + path, { method: 'POST', headers, body });
    expect(response.status).toBe(415);
  }
  expect(await running.service.management.store.auditLog.list({ teamId: team, limit: 1 })).toEqual([]);
});

it('a session token in a cookie is ignored, and no answer sets a cookie', async () => {
  const headers = { cookie: `Authorization=Bearer ${token}; authorization=${token}; token=${token}; session=${token}` };
  for (const [path, status] of [
    ['/graphql?query={viewer{subject}}', 401],
    [`/v1/keys?teamId=${team}`, 401],
    ['/', 200],
    ['/openapi.json', 200],
    ['/healthz', 200],
  ] as const) {
    const answer = await fetch(running.url + path, { headers });
    expect([path, answer.status, answer.headers.get('set-cookie')]).toEqual([path, status, null]);
    const signedIn = await fetch(running.url + path, { headers: { authorization: `Bearer ${token}` } });
    expect(signedIn.headers.get('set-cookie')).toBeNull();
  }
});

it('a session token in a URL is ignored', async () => {
  for (const name of ['token', 'access_token', 'authorization']) {
    const answer = await fetch(`${running.url}/v1/keys?teamId=${team}&${name}=${token}`);
    expect(answer.status).toBe(401);
  }
});
