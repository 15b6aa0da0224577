/** `POST /v1/leaks`: reports by scanners with a verifier token. */
import { hash } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LatchkeyError } from '../../src/domain/errors.ts';
import type { LeakMatch, LeakReport } from '../../src/domain/leak.ts';
import { setLeakPolicy } from '../../src/manage/leaks/leak-policy.ts';
import {
  edgePort,
  listen,
  type Sent,
  send,
  sharedGateway,
  startPort,
  stopListening,
  verifyAt,
} from '../support/gateway.ts';

const path = '/v1/leaks';
const token = 'a-token-of-the-tests-0123456789ab';
const gateway = sharedGateway('sqlite', { VERIFIER_TOKENS: token });

const bodyOf = (...tokens: readonly string[]) =>
  JSON.stringify(tokens.map((token) => ({ token, type: 'gitleaks', url: 'https://example.com/', source: 'ci' })));
const report = (url: string, body: string, sent: Sent = {}) =>
  send(url, { method: 'POST', path, body, headers: { authorization: `Bearer ${token}` }, ...sent });

describe('with a verifier token', () => {
  it('a scanner learns which tokens are keys, and the team gets an entry', async () => {
    const { id, secret } = await gateway.issue();
    const answer = await report(gateway.url, bodyOf(secret, 'another'));
    expect([answer.status, JSON.parse(answer.body)]).toEqual([
      200,
      [
        { token_hash: hash('sha256', secret), token_type: 'gitleaks', label: 'true_positive' },
        { token_hash: hash('sha256', 'another'), token_type: 'gitleaks', label: 'false_positive' },
      ],
    ]);
    const [entry] = await gateway.management.store.auditLog.list({ teamId: gateway.teamId, keyId: id, limit: 1 });
    expect(entry).toMatchObject({
      action: 'KEY_EXPOSED',
      actor: 'leak scanner',
      actorKind: 'SYSTEM',
      source: '127.0.0.1',
      requestId: answer.headers['x-request-id'],
      details: { leak: { source: 'ci', url: 'https://example.com/', action: 'NOTIFY' } },
    });
  });

  it('the policy of the team of each key applies', async () => {
    await setLeakPolicy(gateway.management, gateway.caller(), gateway.teamId, 'REVOKE');
    const { secret } = await gateway.issue();
    await report(gateway.url, bodyOf(secret));
    expect((await verifyAt(gateway.url, { key: secret }, token)).body.code).toBe('REVOKED');
  });

  it.each([
    ['no JSON', '[', 400, 'body: must be valid JSON'],
    ['no list', '{}', 400, 'body: must be an array of 1 to 1000 matches'],
    ['too many matches', JSON.stringify(Array(1001).fill(0)), 400, 'matches: must have at most 1000 entries'],
    ['a large body', `[${' '.repeat(512 * 1024)}]`, 413, 'The body may have at most 524288 bytes.'],
    ['a large body that is no list', ' '.repeat(64 * 1024 + 1), 413, 'The body may have at most 65536 bytes.'],
  ])('%s is rejected', async (_, body, status, detail) => {
    const answer = await report(gateway.url, body);
    expect([answer.status, JSON.parse(answer.body).detail]).toEqual([status, detail]);
  });

  const object = 'must be an object with token, type, and if known url and source';
  const tokenText = 'must be the text that was found, with at least 1 character';
  const optionalText = 'must be text, null or absent';
  it.each<[string, (secret: string) => unknown, string, string]>([
    ['text', (secret) => secret, '', object],
    ['null', () => null, '', object],
    ['an array', (secret) => [secret], '', object],
    ['an object with the fields of another scanner', (secret) => ({ secret }), '.token', tokenText],
    ['an object with an empty token', () => ({ token: '', type: 'a' }), '.token', tokenText],
    ['an object with a number as token', () => ({ token: 1, type: 'a' }), '.token', tokenText],
    ['an object with its tokens in an array', (secret) => ({ token: [secret], type: 'a' }), '.token', tokenText],
    ['without a type', (token) => ({ token }), '.type', "must be text: the scanner's name for this kind of text"],
    ['with an object as URL', (token) => ({ token, type: 'a', url: { secret: token } }), '.url', optionalText],
    ['with a number as source', (token) => ({ token, type: 'a', source: 1 }), '.source', optionalText],
  ])(
    'a match that is %s is rejected by its index, and nothing of the report is handled',
    async (_, form, field, what) => {
      const { id, secret } = await gateway.issue();
      const answer = await report(gateway.url, JSON.stringify([{ token: secret, type: 'a', url: null }, form(secret)]));
      const { detail, errors } = JSON.parse(answer.body);
      expect([answer.status, detail]).toEqual([400, `matches[1]${field}: ${what}`]);
      expect(errors).toEqual([{ field: `matches[1]${field}`, message: what }]);
      expect(answer.body).not.toContain(secret.slice(9));
      const entries = await gateway.management.store.auditLog.list({ teamId: gateway.teamId, keyId: id, limit: 3 });
      expect(entries.map(({ action }) => action)).not.toContain('KEY_EXPOSED');
    },
  );

  it('a key is found and its leak recorded, whatever the texts and the other matches of the report are', async () => {
    const { id, secret } = await gateway.issue();
    const odd = {
      token: secret,
      type: 't'.repeat(200),
      url: `https://example.com/\0${'u'.repeat(5000)}`,
      source: 'a\nb',
    };
    const others = [' ', `${secret.slice(0, -1)}\n`, 't'.repeat(2000)].map((token) => ({ token, type: 't' }));
    const answer = await report(gateway.url, JSON.stringify([...others, odd]));
    expect(answer.status).toBe(200);
    const labels = JSON.parse(answer.body).map(({ label }: { readonly label: string }) => label);
    expect(labels).toEqual([...others.map(() => 'false_positive'), 'true_positive']);
    const entries = await gateway.management.store.auditLog.list({ teamId: gateway.teamId, keyId: id, limit: 3 });
    const url = `https://example.com/\ufffd${'u'.repeat(1979)}`;
    const leak = expect.objectContaining({ source: 'a b', url });
    expect(entries).toContainEqual(expect.objectContaining({ action: 'KEY_EXPOSED', details: { leak } }));
  });

  it('a report of 1,000 matches fits', async () => {
    const answer = await report(gateway.url, bodyOf(...Array.from({ length: 1000 }, (_, i) => `lk_live_${i}`)));
    expect([answer.status, JSON.parse(answer.body).length]).toEqual([200, 1000]);
  });
});

it.each<[string, Sent]>([
  ['without a token', { headers: {} }],
  ['with another token', { headers: { authorization: 'Bearer another-token-0123456789' } }],
])('a report %s is rejected before its body is read', async (_, sent) => {
  const answer = await report(gateway.url, '[', sent);
  expect([answer.status, JSON.parse(answer.body).code]).toEqual([401, 'UNAUTHENTICATED']);
});

describe('behind the port', () => {
  const failure = (error: unknown) => startPort({ reportLeaks: () => Promise.reject(error) });

  it('an error is hidden, and one of the store is 503', async () => {
    const broken = await report((await failure(new Error('the innards'))).url, bodyOf('a'));
    expect([broken.status, broken.body.includes('innards')]).toEqual([500, false]);
    const away = new LatchkeyError('UNAVAILABLE', 'The store does not answer; try again shortly.');
    const answer = await report((await failure(away)).url, bodyOf('a'));
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1']);
  });

  it('a report holds a slot while it is handled, so that reports cannot take all of them', async () => {
    const waiting: ((areKeys: readonly boolean[]) => void)[] = [];
    const reportLeaks = (_: readonly LeakMatch[], __: LeakReport) =>
      new Promise<readonly boolean[]>((resolve) => void waiting.push(resolve));
    const { url, requests } = await startPort({ reportLeaks, capacity: 4 });
    const under = [report(url, bodyOf('a')), report(url, bodyOf('a'))];
    await expect.poll(() => waiting.length).toBe(2);
    expect(requests.underWay).toBe(2);
    expect((await report(url, bodyOf('a'))).status).toBe(503);
    for (const resolve of waiting) resolve([false]);
    expect((await Promise.all(under)).map(({ status }) => status)).toEqual([200, 200]);
    await expect.poll(() => requests.underWay).toBe(0);
  });
});

it('an edge says that it takes no reports, and the port where the endpoint of GitHub is', async () => {
  const edge = edgePort(() => undefined);
  const url = await listen(edge);
  onTestFinished(() => stopListening(edge));
  const answer = await report(url, bodyOf('a'));
  expect([answer.status, JSON.parse(answer.body).detail]).toEqual([
    404,
    'This is an edge. Send reports of leaked keys to the verification port (VERIFY_PORT) of the service.',
  ]);
  const elsewhere = await send(gateway.url, { method: 'POST', path: '/v1/leaks/github', body: '[]' });
  expect([elsewhere.status, JSON.parse(elsewhere.body).detail]).toEqual([
    404,
    'This is the verification port (VERIFY_PORT). The path is on the management port (PORT).',
  ]);
});
