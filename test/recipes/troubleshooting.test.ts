/** Each symptom of docs/reference/troubleshooting.md, caused at a real service: the page has the text or the code that people see. */
import { describe, expect, it, test } from 'vitest';
import { signRequest } from '../../src/client/sign.ts';
import { readConfiguration, similarVariables } from '../../src/config/configuration.ts';
import { sectionOf, sectionsOf } from '../support/documents.ts';
import { sharedGateway, verifyAt } from '../support/gateway.ts';
import { both, rest, sessionToken } from '../support/service.ts';

const document = 'docs/reference/troubleshooting.md';
const gateway = sharedGateway('sqlite', { UNKNOWN_KEY_LIMIT: '2' });
const guarded = sharedGateway('sqlite', { VERIFIER_TOKENS: 'a-verifier-token-of-32-characters' });
const other = sharedGateway('sqlite');

const verdictOn = async (key: string, more: object = {}) => (await verifyAt(gateway.url, { key, ...more })).body.code;

/** What each symptom looks like: texts that its section must have. */
const symptoms: Readonly<Record<string, () => Promise<readonly unknown[]>>> = {
  'No verdict': async () => {
    const { secret } = await other.issue();
    await other.running.service.close();
    const { status, body } = await verifyAt(other.url, { key: secret });
    return [status, body.code];
  },
  'A verifier token is needed': async () => {
    const { status, body } = await verifyAt(guarded.url, { key: 'a key' });
    const authorize = await fetch(`${guarded.url}/v1/authorize`);
    const code = `X-Latchkey-Code: ${authorize.headers.get('x-latchkey-code')}`;
    return [status, body.code, body.detail, authorize.status, code];
  },
  'A session token instead of a key': async () => {
    const token = sessionToken({ [gateway.teamId]: both });
    const answer = await fetch(`${gateway.url}/v1/authorize`, { headers: { authorization: `Bearer ${token}` } });
    const hint = answer.headers.get('x-latchkey-hint');
    return [answer.headers.get('x-latchkey-code'), hint === null ? 'no hint' : 'X-Latchkey-Hint'];
  },
  'A key instead of a session token': async () => {
    const { secret } = await gateway.issue();
    const { status, body } = await rest(gateway.running.url, secret, 'GET', `/v1/keys?teamId=${gateway.teamId}`);
    return [status, body.code, body.detail];
  },
  'The source is the proxy': async () => {
    const { secret } = await gateway.issue({ allowedIps: ['203.0.113.7'] });
    return [await verdictOn(secret, { sourceIp: '10.0.0.1' }), await verdictOn(secret)];
  },
  'A signature is used twice': async () => {
    const { id, secret, signingSecret } = await gateway.issueSigning();
    const url = 'https://api.example.com/orders';
    const headers = { ...signRequest({ method: 'GET', url }, { keyId: id, signingSecret }) };
    const send = () => verdictOn(secret, { request: { method: 'GET', url, headers } });
    expect(await send()).toBe('VALID');
    return [await send()];
  },
  'The gateway changes the request': async () => {
    const { id, secret, signingSecret } = await gateway.issueSigning();
    const signed = { method: 'GET', url: 'https://api.example.com/orders' };
    const headers = { ...signRequest(signed, { keyId: id, signingSecret }) };
    return [await verdictOn(secret, { request: { method: 'GET', url: 'http://10.0.0.1/orders', headers } })];
  },
  'Too many unknown keys': async () => {
    const { secret } = await other.issue().catch(() => guarded.issue());
    const present = () => verifyAt(gateway.url, { key: secret, sourceIp: '198.51.100.9' });
    const answers = [await present(), await present(), await present()];
    const { status, body } = answers[2] ?? {};
    return [status, body?.code, String(body?.detail).replace(/ Try again.*/, ''), 'X-Latchkey-Code: RATE_LIMITED'];
  },
  'The other port': async () => {
    const { status, body } = await rest(gateway.running.url, null, 'POST', '/v1/verify');
    return [status, body.code, body.detail];
  },
  'Another pepper': async () => [await verdictOn((await guarded.issue()).secret)],
  'Session tokens expire': async () => [(await rest(gateway.running.url, 'x.y.z', 'GET', '/v1/keys')).status],
  'Wrong configuration': async () => {
    expect(() => readConfiguration({ PORT: 'many', WORKERS: 'none' })).toThrow(/PORT.*WORKERS|WORKERS.*PORT/s);
    expect(similarVariables({ VERIFIER_TOKEN: 'a token' })).toHaveLength(1);
    return ['every variable', 'VERIFIER_TOKEN'];
  },
};

test('every section has a symptom, and the table leads to each', () => {
  const titles = sectionsOf(document)
    .map(({ title }) => title)
    .filter((title) => title !== '');
  expect(titles).toEqual(Object.keys(symptoms));
  const [table = ''] = sectionsOf(document).map(({ prose }) => prose);
  expect([...table.matchAll(/\| \[(.+?)\]\(#/g)].map(([, title]) => title).sort()).toEqual(titles.sort());
});

describe.each(Object.entries(symptoms))('%s', (title, cause) => {
  it('is described as people see it', async () => {
    const { prose } = sectionOf(document, title);
    for (const seen of await cause()) expect(prose).toContain(String(seen));
  });
});
