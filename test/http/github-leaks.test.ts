// SECURITY.md: Bytes from outside; Slow reader
/** `POST /v1/leaks/github`, by a stand-in for GitHub and by others who are not. */
import { hash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createKey } from '../../src/manage/change/create-key.ts';
import { setLeakPolicy } from '../../src/manage/leaks/leak-policy.ts';
import { githubExamples } from '../leaks/github-example.ts';
import { startGithub } from '../support/github.ts';
import { inTests } from '../support/in-tests.ts';
import { both, callerOf, rest, startService } from '../support/service.ts';

const path = '/v1/leaks/github';

async function start(environment: NodeJS.ProcessEnv = {}) {
  const github = await startGithub(...githubExamples);
  const running = await startService('sqlite', { GITHUB_SECRET_SCANNING_KEYS_URL: github.url, ...environment });
  const stop = async () => {
    await running.stop();
    await github.stop();
  };
  return { ...running, github, stop };
}

const running = inTests(() => start());
const send = (body: string | Uint8Array, headers: Record<string, string> = {}, url = running.url) =>
  rest(url, null, 'POST', path, body, headers);
const signed = (body: string, service: Pick<typeof running, 'url' | 'github'> = running) =>
  send(body, service.github.headersFor(body), service.url);

const teamId = randomUUID();
const caller = () => callerOf({ [teamId]: both });
const issue = async () =>
  (await createKey(running.service.management, caller(), { teamId, name: 'A key', env: 'live' })).secret;
const bodyOf = (...tokens: readonly string[]) =>
  JSON.stringify(tokens.map((token) => ({ token, type: 'latchkey', url: 'https://example.com/', source: 'commit' })));

describe('a report that GitHub has signed', () => {
  it.each(githubExamples)('is answered: the example of its documentation with key $keyId', async (example) => {
    const headers = {
      'Github-Public-Key-Identifier': example.keyId,
      'Github-Public-Key-Signature': example.signature,
    };
    const { status, body } = await send(example.body, headers);
    expect([status, body]).toEqual([
      200,
      [{ token_hash: hash('sha256', 'some_token'), token_type: 'some_type', label: 'false_positive' }],
    ]);
    // One byte more, and it is not GitHub's.
    expect((await send(`${example.body} `, headers)).status).toBe(401);
  });

  it('names real keys by their hash, with nothing else about them', async () => {
    const secret = await issue();
    const body = bodyOf(secret, 'lk_live_unknown');
    const answer = await signed(body);
    expect([answer.status, answer.body]).toEqual([
      200,
      [
        { token_hash: hash('sha256', secret), token_type: 'latchkey', label: 'true_positive' },
        { token_hash: hash('sha256', 'lk_live_unknown'), token_type: 'latchkey', label: 'false_positive' },
      ],
    ]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it('is handled although one of its matches has a long URL, and another one an empty token and an id of 18 digits', async () => {
    const secret = await issue();
    const long = { token: secret, type: 'latchkey', url: `https://example.com/${'u'.repeat(5000)}`, source: 'commit' };
    const report = `[{"token":"","type":"latchkey","id":750727362669608961},${JSON.stringify(long)}]`;
    const { status, body } = await signed(report);
    expect(status).toBe(200);
    expect(body).toEqual([
      { token_hash: hash('sha256', ''), token_type: 'latchkey', label: 'false_positive' },
      { token_hash: hash('sha256', secret), token_type: 'latchkey', label: 'true_positive' },
    ]);
  });

  it('can be replayed, which changes nothing', async () => {
    await setLeakPolicy(running.service.management, caller(), teamId, 'REVOKE');
    const body = bodyOf(await issue());
    const first = await signed(body);
    const { auditLog } = running.service.management.store;
    const revision = await auditLog.lastRevision();
    const replayed = await Promise.all(Array.from({ length: 4 }, () => signed(body)));
    for (const answer of replayed) expect([answer.status, answer.body]).toEqual([200, first.body]);
    expect(await auditLog.lastRevision()).toBe(revision);
  });

  it('can have 1,000 matches and 2 MB, and not more', async () => {
    const tokens = Array.from({ length: 1000 }, (_, i) => `lk_live_${i}_${'x'.repeat(900)}`);
    const { status, body } = await signed(bodyOf(...tokens));
    expect([status, body.length]).toEqual([200, 1000]);
    const tooMany = await signed(bodyOf(...tokens, 'another'));
    expect([tooMany.status, tooMany.body.detail]).toEqual([400, 'matches: must have at most 1000 entries']);
    const tooLarge = await signed(`[${' '.repeat(2 * 1024 * 1024)}]`);
    expect([tooLarge.status, tooLarge.body.detail]).toEqual([413, 'The body may have at most 2097152 bytes.']);
  });

  it.each([
    ['no JSON', '{', 'body: must be valid JSON'],
    ['nothing', '', 'body: must be valid JSON'],
    ['no list', '{}', 'body: must be an array of 1 to 1000 matches'],
    ['a repeated field', '[{"token":"a","token":"b","type":"t"}]', '[0].token: must be given once'],
  ])('is rejected if it is %s', async (_, text, detail) => {
    const { status, body } = await signed(text);
    expect([status, body.code, body.detail]).toEqual([400, 'BAD_USER_INPUT', detail]);
  });

  it('is rejected if its bytes are not UTF-8, or compressed', async () => {
    const notUtf8 = Buffer.from([0x5b, 0xff, 0x5d]);
    const { status, body } = await send(notUtf8, running.github.headersFor(notUtf8));
    expect([status, body.detail]).toEqual([400, 'body: must be UTF-8']);
    const text = bodyOf('a');
    const latin1 = { ...running.github.headersFor(text), 'content-type': 'application/json; charset=iso-8859-1' };
    expect((await send(Buffer.from(text), latin1)).status).toBe(415);
    const zipped = await send(gzipSync(text), { ...running.github.headersFor(text), 'content-encoding': 'gzip' });
    expect([zipped.status, zipped.body.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });
});

describe('a report that GitHub has not signed', () => {
  const body = bodyOf('a');
  const own = () => running.github.headersFor(body);
  const id = 'github-public-key-identifier';
  const signature = 'github-public-key-signature';

  it.each<[string, () => Record<string, string>]>([
    ['has no signature', () => ({})],
    ['has no key id', () => ({ [signature]: own()[signature] })],
    ['names another key', () => ({ ...own(), [id]: githubExamples[0].keyId })],
    ['names an unknown key', () => ({ ...own(), [id]: 'unknown' })],
    ['has the signature of another body', () => running.github.headersFor(`${body} `)],
    [
      'has a signature in another encoding',
      () => ({
        ...own(),
        [signature]: Buffer.from(own()[signature], 'base64').toString('hex'),
      }),
    ],
    ['has a session token instead', () => ({ authorization: 'Bearer x' })],
  ])('is rejected if it %s', async (_, headers) => {
    const answer = await send(body, headers());
    expect([answer.status, answer.body.code]).toEqual([401, 'UNAUTHENTICATED']);
  });

  it('causes at most one request to GitHub a minute, and limits its address, but not what GitHub signs', async () => {
    const limited = await start({ FAILED_TOKEN_LIMIT: '5' });
    onTestFinished(limited.stop);
    const flood = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        send(body, { ...limited.github.headersFor(`${body} `), [id]: `unknown-${i}` }, limited.url),
      ),
    );
    const statuses = flood.map(({ status }) => status);
    expect([statuses.filter((status) => status === 401).length, new Set(statuses)]).toEqual([5, new Set([401, 429])]);
    expect(limited.github.fetches()).toBe(1);
    expect((await signed(body, limited)).status).toBe(200);
  });

  it('is answered before its body is read, and its connection closed, if it has no signature at all', async () => {
    const { hostname, port } = new URL(running.url);
    const socket = connect(Number(port), hostname);
    socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n[`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 401 (?:.+\r\n)*connection: close\r\n/i);
  });

  it('holds few places with large bodies that arrive slowly, and none of those for small reports', async () => {
    const { hostname, port } = new URL(running.url);
    const headers = Object.entries(own()).map(([name, value]) => `${name}: ${value}\r\n`);
    const slow = () => {
      const socket = connect(Number(port), hostname);
      socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n${headers.join('')}\r\n[`);
      return socket;
    };
    const held = Array.from({ length: 4 }, slow);
    onTestFinished(() => {
      for (const socket of held) socket.destroy();
    });
    // One more of the same address is rejected, once the others have their places.
    await expect
      .poll(async () => {
        const socket = slow();
        const status = await Promise.race([
          once(socket, 'data').then(([answer]) => String(answer).slice(9, 12)),
          new Promise((resolve) => setTimeout(resolve, 1000, 'none')),
        ]);
        if (status === 'none') held.push(socket);
        else socket.destroy();
        return status;
      })
      .toBe('429');
    expect((await signed(body)).status).toBe(200);
  });
});

it('is UNAVAILABLE while the keys of GitHub cannot be fetched', async () => {
  const unreachable = await startService('sqlite', { GITHUB_SECRET_SCANNING_KEYS_URL: 'http://127.0.0.1:9/' });
  onTestFinished(unreachable.stop);
  const body = bodyOf('a');
  const answer = await send(body, running.github.headersFor(body), unreachable.url);
  expect([answer.status, answer.body.code, answer.headers.get('retry-after')]).toEqual([503, 'UNAVAILABLE', '60']);
});

it('takes POST only, and says where the other endpoint is', async () => {
  const got = await rest(running.url, null, 'GET', path);
  expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST']);
  const elsewhere = await rest(running.url, null, 'POST', '/v1/leaks', '[]');
  expect([elsewhere.status, elsewhere.body.detail]).toEqual([
    404,
    'This is the management port (PORT). The path is on the verification port (VERIFY_PORT).',
  ]);
});
