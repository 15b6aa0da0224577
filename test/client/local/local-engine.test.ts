// SECURITY.md: Bytes from outside
/** Verification over the feed, with any answers of it. test/engine has the guarantees of the confirmation rounds. */
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { LocalEngine } from '../../../src/client/local/local-engine.ts';
import type { LocalOutcome } from '../../../src/client/local/local-key.ts';
import { Upstreams } from '../../../src/client/local/upstreams.ts';
import {
  createLocalVerifier,
  type LocalVerifier,
  type LocalVerifierOptions,
} from '../../../src/client/local-verifier.ts';
import { VerifierRejectedError, VerifierUnavailableError } from '../../../src/client/verdict.ts';
import {
  answerTo,
  type FeedCall,
  type FeedStandIn,
  failure,
  give,
  idOf,
  minted,
  plainRow,
  sendAnswer,
  startFeedStandIn,
} from '../../support/feed-stand-in.ts';
import { answering, deadUrl, startStandIn } from '../../support/stand-in-verifier.ts';

let feed: FeedStandIn;
const verifiers: LocalVerifier[] = [];
beforeEach(async () => {
  feed = await startFeedStandIn();
});
afterEach(async () => {
  for (const verifier of verifiers.splice(0)) await verifier.close();
  await feed.close();
});

function localVerifier(options: LocalVerifierOptions = {}): LocalVerifier {
  const verifier = createLocalVerifier({ url: feed.url, timeoutMs: 20_000, ...options });
  verifiers.push(verifier);
  return verifier;
}
const [key, another] = [minted(), minted()] as const;
const deep = `${'{"a":'.repeat(20_000)}{}${'}'.repeat(20_000)}`;
const anyRequest = { env: undefined, scopes: [], source: undefined, request: () => undefined };
const never = new Promise<void>(() => undefined);
async function secondFeed(): Promise<FeedStandIn> {
  const second = await startFeedStandIn();
  onTestFinished(() => second.close());
  return second;
}
const signed = { method: 'GET', url: 'http://api.example/', headers: { signature: 'x', 'signature-input': 'x' } };
function upstreamsAt(...urls: readonly string[]): Upstreams {
  const upstreams = new Upstreams({ urls, token: undefined, timeoutMs: 5000 });
  onTestFinished(() => upstreams.close());
  return upstreams;
}
const withStatus = (status: number) => (call: FeedCall) => sendAnswer(call, {}, status);

describe('a request to the feed', () => {
  it('has at most 100 keys; the others follow', async () => {
    const { verifyAll } = localVerifier();
    const keys = Array.from({ length: 250 }, minted);
    const verdicts = await verifyAll(keys.map((secret) => ({ key: secret })));
    expect(verdicts.map(({ keyId }) => keyId)).toEqual(keys.map(idOf));
    expect(feed.calls.map(({ question: { keys: asked } }) => asked.length)).toEqual([100, 100, 50]);
  });

  it('does not contain texts that can be no keys, nor those in a foreign format before any import', async () => {
    const { verify } = localVerifier();
    for (const text of ['', 'a b', 'x'.repeat(1001), `${key.slice(0, -1)}!`, 'old_key']) {
      expect(await verify({ key: text })).toMatchObject({ code: 'MALFORMED', keyId: null });
    }
    expect(feed.calls.flatMap(({ question }) => question.keys)).toEqual([]);
    feed.answer = ({ question, ...rest }) => sendAnswer({ question, ...rest }, answerTo(question, { imports: true }));
    expect(await verify({ key: 'old_key' })).toMatchObject({ code: 'VALID' });
  });

  it('has no key that is cached, until its row is dropped', async () => {
    const { verify } = localVerifier();
    const keysAsked = () => feed.calls.splice(0).flatMap(({ question }) => question.keys);
    for (let i = 0; i < 3; i += 1) await verify({ key });
    expect(keysAsked()).toEqual([key]);
    for (const more of [{ changed: [idOf(key)] }, { clear: true }]) {
      feed.answer = (asked) => {
        feed.answer = give;
        give(asked, more);
      };
      expect(await verify({ key })).toMatchObject({ code: 'VALID' });
      expect(keysAsked()).toEqual([key]);
    }
  });

  it('has an imported key again, unless the answer says that nothing else matters for it', async () => {
    const { verify } = localVerifier();
    const keysAsked = () => feed.calls.splice(0).flatMap(({ question }) => question.keys);
    for (const [dependencies, asked] of [
      [[], 1],
      [['another key'], 3],
      [undefined, 3],
    ] as const) {
      const text = `old_${asked}_${dependencies?.length}`;
      feed.answer = (call) => {
        const rowOf = () => ({ ...plainRow, imported: true, keyId: text, ...(dependencies && { dependencies }) });
        give(call, { imports: true, keys: call.question.keys.map(rowOf) });
      };
      await verify({ key });
      keysAsked();
      for (let i = 0; i < 3; i += 1) expect(await verify({ key: text })).toMatchObject({ code: 'VALID' });
      expect(keysAsked()).toHaveLength(asked);
    }
  });

  it('does not wait so long that verifications reach their timeout', async () => {
    const { verify } = localVerifier({ timeoutMs: 4000 });
    feed.answer = (asked) => give(asked, { pauseMs: 600_000 });
    for (let i = 0; i < 2; i += 1) expect(await verify({ key })).toMatchObject({ valid: true });
  });
});

it('rows with as many settings as a key can have are accepted, also when a request is for several', async () => {
  const { verify } = localVerifier();
  const allowedIps = Array.from({ length: 100 }, () => `10.0.0.0/8 # ${'"'.repeat(240)}`);
  const scopes = Array.from({ length: 50 }, (_, i) => `${'x'.repeat(98)}${i}`);
  feed.answer = (asked) =>
    give(asked, {
      keys: asked.question.keys.map((secret) => ({ ...plainRow, keyId: idOf(secret), allowedIps, scopes })),
    });
  const verdicts = await Promise.all(Array.from({ length: 20 }, () => verify({ key: minted() })));
  expect(new Set(verdicts.map(({ code }) => code))).toEqual(new Set(['SOURCE_NOT_ALLOWED']));
});

describe('a lease', () => {
  let now: number;
  let engine: LocalEngine;
  beforeEach(() => {
    now = 0;
    engine = new LocalEngine({ urls: [feed.url], timeoutMs: 20_000, now: () => now });
  });
  afterEach(() => engine.close());
  const verify = (secret: string) =>
    new Promise<string>((resolve, fail) => {
      engine.verify({ ...anyRequest, secret }, { answer: ({ code }) => resolve(code), fail });
    });
  const leasing = (leaseMs: number) => (asked: FeedCall) => give(asked, { leaseMs });

  it('ends after one second, the documented maximum, however long the upstream grants it', async () => {
    feed.answer = leasing(600_000);
    await verify(key);
    now = 999;
    await verify(key);
    expect(feed.calls).toHaveLength(1);
    now = 1000;
    await verify(key);
    expect(feed.calls).toHaveLength(2);
  });

  it('decides the verifications of one turn of the event loop together at its end, and then texts that are no keys', async () => {
    feed.answer = leasing(1000);
    await verify(key);
    const events: string[] = [];
    const decided: Promise<unknown>[] = [];
    for (const secret of [key, 'no key', key]) {
      const verdict = new Promise<void>((resolve, fail) => {
        const answer = ({ code }: LocalOutcome) => resolve(void events.push(code));
        engine.verify({ ...anyRequest, secret }, { answer, fail });
      });
      events.push('arrived');
      // Such as the request of an API that continues.
      decided.push(verdict.then(() => events.push('continues')));
    }
    await Promise.all(decided);
    expect(events).toEqual([
      ...Array(3).fill('arrived'),
      ...['VALID', 'VALID', 'continues', 'continues', 'MALFORMED', 'continues'],
    ]);
    expect(feed.calls).toHaveLength(1);
  });
});

describe('unknown keys', () => {
  const unknown = Array.from({ length: 6 }, minted);
  beforeEach(() => {
    feed.answer = (asked) => {
      const rows = asked.question.keys.map((secret) =>
        secret === key ? { ...plainRow, keyId: idOf(key) } : ({ code: 'NOT_FOUND' } as const),
      );
      give(asked, { keys: rows });
    };
  });

  it('are limited for each source, which does not affect the keys that are cached', async () => {
    const { verify } = localVerifier({ unknownKeyLimit: 2 });
    const sourceIp = '192.0.2.1';
    expect(await verify({ key, sourceIp })).toMatchObject({ code: 'VALID' });
    for (const secret of unknown.slice(0, 2)) {
      expect(await verify({ key: secret, sourceIp })).toMatchObject({ code: 'NOT_FOUND' });
    }
    const asked = feed.calls.length;
    const error = await failure(verify({ key: unknown[2] ?? '', sourceIp }));
    expect(error).toBeInstanceOf(VerifierUnavailableError);
    expect(error).toMatchObject({ status: 429, message: expect.stringContaining('Too many unknown keys') });
    expect(error.retryAfterSeconds).toBeGreaterThan(0);
    expect(feed.calls).toHaveLength(asked);
    expect(await verify({ key, sourceIp })).toMatchObject({ code: 'VALID' });
    expect(await verify({ key: unknown[3] ?? '', sourceIp: '198.51.100.1' })).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('are not limited without a known source, and texts that can be no keys do not count', async () => {
    const { verify } = localVerifier({ unknownKeyLimit: 1 });
    for (const secret of unknown) expect(await verify({ key: secret })).toMatchObject({ code: 'NOT_FOUND' });
    const sourceIp = '192.0.2.1';
    for (const text of ['no key', 'old_key', '']) {
      expect(await verify({ key: text, sourceIp })).toMatchObject({ code: 'MALFORMED' });
    }
    expect(await verify({ key: unknown[0] ?? '', sourceIp })).toMatchObject({ code: 'NOT_FOUND' });
    expect(await failure(verify({ key: unknown[1] ?? '', sourceIp }))).toMatchObject({ status: 429 });
  });

  it('are 120 per minute by default', async () => {
    const { verifyAll } = localVerifier();
    const keys = Array.from({ length: 120 }, minted);
    const sourceIp = '192.0.2.1';
    await verifyAll(keys.map((secret) => ({ key: secret, sourceIp })));
    expect(await failure(verifyAll([{ key: minted(), sourceIp }]))).toMatchObject({ status: 429 });
  });
});

describe('without an answer', () => {
  it('a verification fails within its timeout, although the key is cached', async () => {
    const { verify } = localVerifier({ timeoutMs: 2000 });
    expect(await verify({ key })).toMatchObject({ valid: true });
    feed.answer = () => undefined;
    const startedAt = performance.now();
    expect(await failure(verify({ key }))).toBeInstanceOf(VerifierUnavailableError);
    expect(performance.now() - startedAt).toBeLessThan(5000);
  });

  it.each([
    ['no connection', (asked: FeedCall) => asked.request.socket.destroy()],
    ['a 500', withStatus(500)],
    ['no JSON', (asked: FeedCall) => sendAnswer(asked, '{')],
    ['an answer about other keys', (asked: FeedCall) => give(asked, { keys: [] })],
    ['a row without a field', (asked: FeedCall) => sendAnswer(asked, { ...answerTo(asked.question), keys: [{}] })],
    [
      'metadata that is nested too deeply',
      (asked: FeedCall) => {
        const row = JSON.stringify({ ...plainRow, keyId: idOf(key) }).replace('"metadata":null', `"metadata":${deep}`);
        sendAnswer(asked, JSON.stringify(answerTo(asked.question, { keys: [] })).replace('[]}', `[${row}]}`));
      },
    ],
    ['a state without a field', (asked: FeedCall) => sendAnswer(asked, { keys: answerTo(asked.question).keys })],
  ])('a verification that gets %s fails', async (_, answer) => {
    feed.answer = answer;
    const { verify } = localVerifier();
    const error = await failure(verify({ key }));
    expect(error).toBeInstanceOf(VerifierUnavailableError);
    expect(String(error)).not.toContain(key);
  });

  it('a verification waits for an upstream that is busy, as long as its timeout allows', async () => {
    feed.answer = (asked) => (feed.calls.length % 3 > 0 ? sendAnswer(asked, {}, 503) : give(asked));
    for (const url of [feed.url, [feed.url, await deadUrl()]]) {
      expect(await localVerifier({ url }).verify({ key })).toMatchObject({ valid: true });
    }
    feed.answer = withStatus(503);
    expect(await failure(localVerifier({ timeoutMs: 300 }).verify({ key }))).toBeInstanceOf(VerifierUnavailableError);
  });

  it('a signed request fails once when its upstream is down, and the next request goes to the other upstream', async () => {
    const second = await startStandIn();
    const upstreams = upstreamsAt(await deadUrl(), second.url);
    expect(await failure(upstreams.verify({ key, request: signed }))).toBeInstanceOf(VerifierUnavailableError);
    expect(await upstreams.verify({ key, request: signed })).toMatchObject({ valid: true });
    await second.close();
  });

  it('of an upstream that rejects the token, says so, without the token and the keys', async () => {
    feed.answer = ({ response, ...asked }) => {
      response.setHeader('connection', 'close');
      sendAnswer({ response, ...asked }, { detail: `not ${asked.request.headers.authorization} nor ${key}` }, 401);
    };
    const error = await failure(localVerifier({ token: 'the-token-of-this-edge' }).verify({ key }));
    expect(error).toBeInstanceOf(VerifierRejectedError);
    expect(String(error)).not.toMatch(new RegExp(`the-token-of-this-edge|${key}`));
  });

  it('pending and later verifications fail once the verifier is closed', async () => {
    const local = localVerifier();
    feed.answer = () => undefined;
    const pending = failure(local.verify({ key }));
    await expect.poll(() => feed.calls.length).toBe(1);
    const malformed = failure(local.verify({ key: 'no key' }));
    await local.close();
    for (const error of [pending, malformed]) expect(await error).toBeInstanceOf(VerifierUnavailableError);
    for (const later of [key, another, 'no key']) {
      expect(await failure(local.verify({ key: later }))).toBeInstanceOf(VerifierUnavailableError);
    }
  });

  it('also those that wait for the service to decide, before the remaining use is reported', async () => {
    const local = localVerifier();
    const calls: FeedCall[] = [];
    feed.answer = (asked) => {
      calls.push(asked);
      if (asked.request.url !== '/v1/feed') return;
      const rows = asked.question.keys.map((secret) => ({ ...plainRow, keyId: idOf(secret), signed: true }));
      sendAnswer(asked, { ...answerTo(asked.question), keys: rows });
    };
    const pending = failure(local.verify({ key }));
    await expect.poll(() => calls.length).toBe(2);
    let report: () => void = () => undefined;
    feed.reportsWait = new Promise<void>((resolve) => {
      report = resolve;
    });
    const closing = local.close();
    expect(await pending).toBeInstanceOf(VerifierUnavailableError);
    expect(await failure(local.verify({ key }))).toBeInstanceOf(VerifierUnavailableError);
    report();
    await closing;
    expect(calls).toHaveLength(2);
  });

  it('closing takes a few seconds, however long the upstreams take for the remaining reports', async () => {
    const second = await secondFeed();
    const local = createLocalVerifier({ url: [feed.url, second.url], timeoutMs: 3_600_000 });
    await local.verify({ key, sourceIp: '10.0.0.1' });
    [feed.reportsWait, second.reportsWait] = [never, never];
    const startedAt = performance.now();
    await local.close();
    expect(performance.now() - startedAt).toBeGreaterThan(2000);
  });
});

describe('with several upstreams', () => {
  it.each<[string, FeedStandIn['answer'] | null]>([
    ['cannot be reached', null],
    ['answers 503', withStatus(503)],
    ['rejects the token', withStatus(401)],
    ['has no answer of the feed', (asked) => sendAnswer(asked, { other: true })],
    ['does not answer', () => undefined],
  ])('asks the next one within the timeout when one %s, and stays there', async (_, answer) => {
    const second = await secondFeed();
    const { verify } = localVerifier({ url: [feed.url, second.url], timeoutMs: 5000 });
    expect(await verify({ key })).toMatchObject({ valid: true });
    expect([feed.calls.length, second.calls.length]).toEqual([1, 0]);
    if (answer === null) {
      await feed.close();
      feed = await startFeedStandIn();
    } else feed.answer = answer;
    const asked = feed.calls.length;
    for (let i = 0; i < 3; i += 1) expect(await verify({ key })).toMatchObject({ valid: true });
    expect(second.calls).toHaveLength(3);
    expect(feed.calls.length).toBeLessThanOrEqual(asked + 1);
  });
});

describe('with an upstream that answers, and one that cannot be reached', () => {
  it('the error is that the token is rejected', async () => {
    feed.answer = withStatus(401);
    const { verify } = localVerifier({ url: [feed.url, await deadUrl()] });
    expect(await failure(verify({ key }))).toBeInstanceOf(VerifierRejectedError);
  });

  it('a report is kept that only the other one may take', async () => {
    feed.reportStatuses.push(400);
    const upstreams = upstreamsAt(feed.url, await deadUrl());
    const message = { path: 'feed/reports', body: { rates: [] }, secrets: [], limitBytes: 1000 } as const;
    const error = await failure(upstreams.post({ ...message, parse: (value) => value }));
    expect(error).toBeInstanceOf(VerifierUnavailableError);
  });
});

it('signed requests stay at an upstream that answers, also when it answers that one team has too many', async () => {
  const [first, second] = [await startStandIn(), await startStandIn()];
  const upstreams = upstreamsAt(first.url, second.url);
  for (const status of [429, 503]) {
    first.answer = answering('', status);
    expect(await failure(upstreams.verify({ key, request: signed }))).toMatchObject({ status });
  }
  expect([first.calls.length, second.calls.length]).toEqual([2, 0]);
  for (const standIn of [first, second]) await standIn.close();
});

it('gives the same frozen verdict to all callers, which none of them can change', async () => {
  const { verify } = localVerifier();
  expect(await verify({ key })).toBe(await verify({ key }));
  feed.answer = (asked) => {
    const rateLimit = { limit: 5, windowSeconds: 60 };
    give(asked, { keys: asked.question.keys.map((secret) => ({ ...plainRow, keyId: idOf(secret), rateLimit })) });
  };
  for (const verdict of [await verify({ key }), await verify({ key: another }), await verify({ key: 'no key' })]) {
    for (const part of [verdict, verdict.rateLimit, verdict.scopes]) expect(Object.isFrozen(part)).toBe(true);
  }
});

it.each([
  [{ url: [] }, 'url'],
  [{ url: 'file:///etc' }, 'url'],
  [{ cacheKeys: 1 }, 'cacheKeys'],
  [{ cacheMegabytes: 0 }, 'cacheMegabytes'],
  [{ unknownKeyLimit: 0 }, 'unknownKeyLimit'],
  [{ timeoutMs: 0 }, 'timeoutMs'],
  [{ token: 'a b' }, 'token'],
])('rejects the options %j', (options, named) => {
  expect(() => createLocalVerifier(options)).toThrow(named);
});
