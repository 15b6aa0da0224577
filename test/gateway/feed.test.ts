// SECURITY.md: Who may do what; Bytes from outside
/** `POST /v1/feed` and `POST /v1/feed/reports`: who may call them, what they accept, and what they never contain. */
import { hash, randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { mintSecret } from '../../src/domain/secret/secret.ts';
import { digestSecret } from '../../src/domain/secret/secret-digest.ts';
import { rotateSigningSecret } from '../../src/manage/change/signing.ts';
import { readUsage } from '../../src/manage/read/read-usage.ts';
import type { FeedAnswer } from '../../src/wire/feed-messages.ts';
import { theProvider } from '../support/databases.ts';
import { sharedGateway, startGateway, startPort, verifyAt } from '../support/gateway.ts';

const edge = randomUUID();
const hourMs = 3_600_000;

interface Answered {
  readonly status: number;
  // What a test expects of a body is asserted by the test.
  readonly body: ReturnType<typeof JSON.parse>;
  readonly text: string;
}

async function post(url: string, path: string, json: unknown, token = '', type = 'application/json') {
  const body = typeof json === 'string' ? json : JSON.stringify(json);
  const headers = { 'content-type': type, ...(token === '' ? {} : { authorization: `Bearer ${token}` }) };
  const response = await fetch(url + path, { method: 'POST', headers, body });
  const text = await response.text();
  const answered: Answered = { status: response.status, body: JSON.parse(text), text };
  return answered;
}

const gateway = sharedGateway(theProvider);

async function ask(keys: readonly string[], cursor: string | null = null): Promise<FeedAnswer> {
  const { status, body } = await post(gateway.url, '/v1/feed', { edge, cursor, keys });
  expect(status).toBe(200);
  return body;
}

function report(counts: object): Promise<Answered> {
  return post(gateway.url, '/v1/feed/reports', { edge, usage: [], sources: [], rates: [], ...counts });
}

describe('the feed', () => {
  it('answers what each presented key matches, in their order', async () => {
    const key = await gateway.issue({ scopes: ['a'], allowedIps: ['10.0.0.0/8 # office', 'api.example.com'] });
    const revoked = await gateway.issue({ rateLimit: { limit: 5, windowSeconds: 60 } });
    await gateway.revoke(revoked.id);
    const unknown = mintSecret('lk', 'live', randomBytes).secret;
    const { keys, ...state } = await ask([unknown, key.secret, 'x y', revoked.secret, key.secret]);
    expect(state).toEqual({
      cursor: expect.stringMatching(/^[\w-]{22}\.\d+$/),
      clear: true,
      changed: [],
      // Edges of 0.1 reject an answer without it.
      importsChanged: false,
      imports: false,
      leaseMs: 0,
      pauseMs: 0,
      revision: expect.stringMatching(/^[\w-]{22}$/),
    });
    const row = {
      keyId: key.id,
      teamId: gateway.teamId,
      scopes: ['a'],
      version: 1,
      allowedIps: ['10.0.0.0/8', 'api.example.com'],
      signed: false,
      revoked: false,
      imported: false,
    };
    expect(keys).toMatchObject([
      { code: 'NOT_FOUND' },
      row,
      { code: 'MALFORMED' },
      { keyId: revoked.id, revoked: true, allowedIps: null, rateLimit: { limit: 5, windowSeconds: 60 } },
      row,
    ]);
    const { body } = await verifyAt(gateway.url, { key: key.secret, sourceIp: '10.0.0.1' });
    const { valid: _, code: __, ...fields } = body;
    expect(keys[1]).toMatchObject(fields);
  });

  it('answers what has changed since the cursor, and never less than what was answered before the request', async () => {
    const [one, two] = [await gateway.issue(), await gateway.issue()];
    const { cursor } = await ask([]);
    await gateway.revoke(one.id);
    await gateway.revoke(two.id);
    const changed = await ask([], cursor);
    expect([...changed.changed].sort()).toEqual([one.id, two.id].sort());
    expect(changed.clear).toBe(false);
    expect(await ask([], changed.cursor)).toMatchObject({ clear: false, changed: [], cursor: changed.cursor });
    const other = cursor.startsWith('A') ? 'B' : 'A';
    for (const foreign of ['', 'x', `${cursor}0`, `${other}${cursor.slice(1)}`]) {
      expect(await ask([], foreign)).toMatchObject({ clear: true, changed: [] });
    }
  });

  it('contains no pepper, no stored digest and no signing secret, neither sealed nor open', async () => {
    const { management } = gateway;
    const { id, secret, signingSecret } = await gateway.issueSigning();
    const rotated = await rotateSigningSecret(management, gateway.caller(), id, 60);
    const stored = await management.store.keys.find(id);
    const { text, body } = await post(gateway.url, '/v1/feed', { edge, cursor: null, keys: [secret] });
    expect(body.keys).toMatchObject([{ keyId: id, signed: true }]);
    const envelopes = [stored?.signingEnvelope, stored?.previousSigningEnvelope].map(String);
    const digests = [...management.peppers.byId.values()].flatMap((pepper) => [
      pepper.bytes.toString('base64'),
      pepper.bytes.toString('base64url'),
      digestSecret(secret, pepper),
    ]);
    const own = [secret, hash('sha256', secret, 'base64url'), hash('sha256', secret, 'hex')];
    const never = [signingSecret, rotated.signingSecret, String(stored?.digest), ...envelopes, ...digests, ...own];
    expect(never.filter((value) => value.length < 20 || text.includes(value))).toEqual([]);
    expect(Object.keys(body.keys[0]).sort()).toEqual(
      [
        ...['keyId', 'teamId', 'name', 'env', 'prefix', 'expiresAt', 'secret', 'scopes', 'externalId', 'metadata'],
        ...['version', 'revoked', 'disabled', 'rotated', 'secretExpiresAt', 'allowedIps', 'signed', 'rateLimit'],
        ...['createdAt', 'imported'],
      ].sort(),
    );
  });

  it.each([
    ['a text', '"x"', ['body']],
    ['a list', '[]', ['body']],
    ['nothing', '{}', ['cursor', 'edge', 'keys']],
    ['wrong types', { edge: 'x', cursor: 1, keys: ['a', 1, null] }, ['cursor', 'edge', 'keys[1]', 'keys[2]']],
    ['101 keys', { edge, cursor: null, keys: Array(101).fill('x') }, ['keys']],
    ['a long cursor', { edge, cursor: 'x'.repeat(65), keys: [] }, ['cursor']],
  ])('rejects a question that is %s', async (_, question, fields) => {
    const { status, body } = await post(gateway.url, '/v1/feed', question);
    expect([status, body.code]).toEqual([400, 'BAD_USER_INPUT']);
    expect(body.errors.map(({ field }: { field: string }) => field).sort()).toEqual(fields);
  });

  it('rejects a request that is too large, and never repeats a key in an error', async () => {
    const { secret } = await gateway.issue();
    for (const [status, question] of [
      [413, { edge, cursor: null, keys: [secret, 'x'.repeat(300_000)] }],
      [400, { edge: secret, cursor: secret, keys: { [secret]: 1 } }],
      [400, `{"edge":"${edge}","cursor":null,"keys":[],"keys":["${secret}"]}`],
    ] as const) {
      const answered = await post(gateway.url, '/v1/feed', question);
      expect([answered.status, answered.text.includes(secret)]).toEqual([status, false]);
    }
  });

  it.each([
    ...['text/plain;charset=UTF-8', 'application/jsonp', 'application/x-www-form-urlencoded'],
    'application/json; charset=iso-8859-1',
  ])('takes no question and no report as %s, which a web page of any site could send', async (type) => {
    const question = { edge, cursor: null, keys: [] };
    const counts = { edge, usage: [], sources: [], rates: [] };
    for (const [path, body] of [
      ['/v1/feed', question],
      ['/v1/feed/reports', counts],
    ] as const) {
      const answered = await post(gateway.url, path, body, '', type);
      expect([answered.status, answered.body.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    }
    const json = 'Application/JSON; charset=utf-8';
    expect((await post(gateway.url, '/v1/feed', question, '', json)).status).toBe(200);
  });

  it('takes requests with 100 keys of any length', async () => {
    const { keys } = await ask(Array.from({ length: 100 }, (_, i) => `${'"\\'.repeat(500)}`.slice(0, 1000 - (i % 2))));
    expect(keys).toEqual(Array(100).fill({ code: 'MALFORMED' }));
  });
});

it('a request holds a place of the port for each of its keys, and one more', async () => {
  let respond: ((text: string) => void) | undefined;
  const handle = () =>
    new Promise<string>((resolve) => {
      respond = resolve;
    });
  const rejected = async () => expect.fail('nothing is reported');
  const feed = {
    edges: { handle },
    controlPlane: { addUsage: rejected, addSources: rejected, addRates: rejected },
    tokens: null,
  };
  const { url, requests } = await startPort({ feed, capacity: 5 });
  const question = { edge, cursor: null, keys: ['a', 'b', 'c'] };
  const first = post(url, '/v1/feed', question);
  await expect.poll(() => requests.underWay).toBe(4);
  expect((await post(url, '/v1/feed', question)).status).toBe(503);
  respond?.('{}');
  expect((await first).status).toBe(200);
  expect(requests.underWay).toBe(0);
});

it('at most 500 reports of edges wait for management at once', async () => {
  let waiting = 0;
  let write: (() => void) | undefined;
  const written = new Promise<void>((resolve) => {
    write = resolve;
  });
  const add = async () => {
    waiting += 1;
    await written;
  };
  const controlPlane = { addUsage: add, addSources: add, addRates: async () => [] };
  const { url } = await startPort({ feed: { edges: { handle: async () => '{}' }, controlPlane, tokens: null } });
  const send = () => post(url, '/v1/feed/reports', { edge, usage: [use()], sources: [], rates: [] });
  const accepted = Array.from({ length: 500 }, send);
  await expect.poll(() => waiting).toBe(500);
  const { status, body } = await send();
  expect([status, body.code]).toEqual([503, 'UNAVAILABLE']);
  write?.();
  expect(new Set((await Promise.all(accepted)).map((answer) => answer.status))).toEqual(new Set([200]));
  expect((await send()).status).toBe(200);
});

const hour = new Date(Math.floor(Date.now() / hourMs) * hourMs).toISOString();
const endOfDay = () => new Date((Math.floor(Date.now() / (24 * hourMs)) + 1) * 24 * hourMs).toISOString();
const use = (more: object = {}) => ({
  keyId: randomUUID(),
  teamId: edge,
  version: 1,
  hour,
  lastUsedAt: new Date().toISOString(),
  counts: [{ code: 'VALID', count: 3 }],
  ...more,
});

describe('reports', () => {
  it('are added to the use of keys, their sources and their rate limits', async () => {
    const { id: keyId } = await gateway.issue({ rateLimit: { limit: 5, windowSeconds: 86_400 } });
    const windowEnd = endOfDay();
    const now = new Date().toISOString();
    const source = { keyId, version: 1, address: '::ffff:203.0.113.9', firstAt: now, lastAt: now };
    const counts = [{ code: 'VALID', count: 3 }];
    const sent = {
      usage: [
        use({ keyId, teamId: gateway.teamId }),
        use({ keyId, counts: [{ code: 'EXPIRED', count: 1 }], lastUsedAt: null }),
      ],
      sources: [{ ...source, counts }],
      rates: [{ keyId, windowSeconds: 86_400, windowEnd, count: 4 }],
    };
    expect((await report(sent)).body).toEqual({ totals: [4] });
    expect((await report({ rates: sent.rates })).body).toEqual({ totals: [8] });
    const { management } = gateway;
    const hours = await readUsage(management, gateway.caller(), {
      keyId,
      from: new Date(Date.now() - 2 * hourMs),
      to: new Date(Date.now() + hourMs),
    });
    expect(hours.map(({ code, count }) => `${code} ${count}`).sort()).toEqual(['EXPIRED 1', 'VALID 3']);
    const { listed } = await management.store.observedSources.list(keyId, 1);
    expect(listed).toMatchObject([{ address: '203.0.113.9', counts }]);
  });

  it('about keys, secrets, teams and windows that do not exist write nothing', async () => {
    const { store } = gateway.management;
    const { id: keyId } = await gateway.issue({ rateLimit: { limit: 5, windowSeconds: 60 } });
    const [unknown, otherTeam, now] = [randomUUID(), randomUUID(), new Date()];
    const counts = [{ code: 'VALID', count: 3 }];
    const source = { keyId, version: 1, address: '203.0.113.9', firstAt: now, lastAt: now, counts };
    const windowEnd = new Date((Math.floor(now.getTime() / 60_000) + 1) * 60_000);
    const window = { keyId, windowSeconds: 60, windowEnd, count: 4 };
    const wrong = {
      usage: [use({ keyId: unknown, teamId: gateway.teamId }), use({ keyId, version: 2 })],
      sources: [{ keyId: unknown }, { version: 2 }].map((change) => ({ ...source, ...change })),
    };
    const sentAgain = async (rate: object) => {
      await report({ rates: [{ ...window, ...rate }] });
      return (await report({ rates: [{ ...window, ...rate }] })).body.totals;
    };
    expect((await report(wrong)).status).toBe(200);
    const range = [new Date(now.getTime() - 2 * hourMs), new Date(now.getTime() + hourMs)] as const;
    const versions = [keyId, unknown].map((id) => ({ id, secretVersion: 2 }));
    expect((await store.usage.lastUsed([keyId, unknown])).size).toBe(0);
    expect((await store.usage.lastUsedSecrets(versions)).size).toBe(0);
    for (const id of [keyId, unknown]) {
      expect(await store.usage.hourly(id, ...range)).toEqual([]);
      expect(await store.observedSources.list(id, 2)).toEqual({ listed: [], unlisted: [] });
    }
    // Without a row, the second report does not add to the first one.
    for (const other of [
      ...[{ keyId: unknown }, { windowSeconds: 61 }],
      ...[1, 3 * 60_000].map((ms) => ({ windowEnd: new Date(windowEnd.getTime() + ms) })),
    ]) {
      expect(await sentAgain(other)).toEqual([4]);
    }
    expect(await sentAgain({})).toEqual([8]);
    // A use of a key is one of its team, whatever the report says.
    await report({ usage: [use({ keyId, teamId: otherTeam })], sources: [source] });
    expect(await store.usage.teamHourly(otherTeam, ...range)).toEqual([]);
    expect(await store.usage.hourly(keyId, ...range)).toMatchObject([{ code: 'VALID', count: 3 }]);
    expect((await store.observedSources.list(keyId, 1)).listed).toHaveLength(1);
  });

  const ago = (hours: number) => new Date(Date.now() - hours * hourMs).toISOString();
  const at = (time: string) => ({
    keyId: edge,
    version: 1,
    address: '10.0.0.1',
    firstAt: time,
    lastAt: time,
    counts: [],
  });
  const window = (windowEnd: string) => [{ keyId: edge, windowSeconds: 60, windowEnd, count: 1 }];

  it('of up to 48 hours ago are accepted, and of windows that ended within the last hour', async () => {
    const oldest = new Date(Math.ceil((Date.now() - 48 * hourMs) / hourMs) * hourMs).toISOString();
    expect((await report({ usage: [use({ hour: oldest })] })).status).toBe(200);
    expect((await report({ sources: [at(ago(47.99))] })).status).toBe(200);
    expect((await report({ rates: window(ago(0.99)) })).status).toBe(200);
  });

  it.each([
    ['usage', () => ({ usage: [use({ hour: new Date(Date.parse(hour) - 48 * hourMs).toISOString() })] })],
    ['sources', () => ({ sources: [at(ago(48.01))] })],
    ['sources', () => ({ sources: [at(ago(-1.01))] })],
    ['rates', () => ({ rates: window(ago(1.01)) })],
    ['rates', () => ({ rates: window(ago(-24 * 31 - 24 * 30)) })],
  ])('of an older or later time, in %s, are rejected with what is expected', async (field, counts) => {
    const { status, body } = await report(counts());
    expect([status, body.errors.map((error: { field: string }) => error.field)]).toEqual([400, [field]]);
    expect(body.detail).not.toContain('today');
  });

  it('may have 512 kB, and not more', async () => {
    const within = JSON.stringify({ edge, usage: [], sources: [], rates: [] });
    const padded = (bytes: number) => `${within.slice(0, -1)}${' '.repeat(bytes - within.length)}}`;
    expect((await post(gateway.url, '/v1/feed/reports', padded(512 * 1024))).status).toBe(200);
    expect((await post(gateway.url, '/v1/feed/reports', padded(512 * 1024 + 1))).status).toBe(413);
  });

  it('count a use in the future as one of now', async () => {
    const { id: keyId } = await gateway.issue();
    const before = Date.now();
    await report({ usage: [use({ keyId, lastUsedAt: new Date(before + 1_800_000).toISOString() })] });
    const lastUsed = await gateway.management.store.usage.lastUsed([keyId]);
    const at = lastUsed.get(keyId)?.getTime() ?? 0;
    expect(at).toBeGreaterThanOrEqual(before);
    expect(at).toBeLessThanOrEqual(Date.now());
  });

  it.each([
    ['that are not lists', { usage: {}, sources: 1, rates: null }],
    ['of a key id that is not a UUID', { usage: [use({ keyId: 'x' })] }],
    ['of no version', { usage: [use({ version: 0 })] }],
    ['of half an hour', { usage: [use({ hour: new Date(Date.parse(hour) + 1).toISOString() })] }],
    ['of last week', { usage: [use({ hour: new Date(Date.parse(hour) - 168 * hourMs).toISOString() })] }],
    ['of tomorrow', { usage: [use({ hour: new Date(Date.parse(hour) + 24 * hourMs).toISOString() })] }],
    ['of an unknown verdict', { usage: [use({ counts: [{ code: 'FINE', count: 1 }] })] }],
    ['of a negative count', { usage: [use({ counts: [{ code: 'VALID', count: -1 }] })] }],
    ['of too large a count', { usage: [use({ counts: [{ code: 'VALID', count: 1e10 }] })] }],
    ['of 501 records', { usage: Array.from({ length: 501 }, () => use()) }],
    ['of a source that is not an address', { sources: [{ ...use(), address: 'x', firstAt: hour, lastAt: hour }] }],
    ['of a window of no length', { rates: [{ keyId: edge, windowSeconds: 0, windowEnd: hour, count: 1 }] }],
    [
      'of one key twice',
      { rates: Array(2).fill({ keyId: edge, windowSeconds: 60, windowEnd: new Date().toISOString(), count: 1 }) },
    ],
  ])('%s are rejected', async (_, counts) => {
    const { status, body } = await report(counts);
    expect([status, body.code]).toEqual([400, 'BAD_USER_INPUT']);
  });
});

describe('the tokens of the feed', () => {
  const [verifier, feeding] = ['a-token-of-a-verifier', 'a-token-of-an-edge-1'];
  const question = { edge, cursor: null, keys: [] };
  const counts = { edge, usage: [], sources: [], rates: [] };

  it.each([
    ['none are set', {}, { '': [200, 200, 200, 200] }],
    [
      'both are set',
      { VERIFIER_TOKENS: verifier, FEED_TOKENS: feeding },
      { '': [401, 401, 401, 401], [verifier]: [401, 401, 401, 200], [feeding]: [200, 200, 200, 200] },
    ],
    [
      'only VERIFIER_TOKENS is set',
      { VERIFIER_TOKENS: verifier },
      { '': [401, 401, 401, 401], [verifier]: [401, 401, 401, 200] },
    ],
    [
      'only FEED_TOKENS is set',
      { FEED_TOKENS: feeding },
      { '': [401, 401, 401, 401], [feeding]: [200, 200, 200, 200] },
    ],
  ])('where %s: edges may verify, and verifiers may not read the feed', async (_, environment, expected) => {
    const running = await startGateway('sqlite', environment);
    for (const [token, statuses] of Object.entries<number[]>(expected)) {
      const answers = [
        await post(running.url, '/v1/feed', question, token),
        await post(running.url, '/v1/feed/stream', question, token, 'application/x-ndjson'),
        await post(running.url, '/v1/feed/reports', counts, token),
        await post(running.url, '/v1/verify', { key: 'x' }, token),
      ];
      expect(answers.map(({ status }) => status)).toEqual(statuses);
    }
    await running.stop();
  });
});
