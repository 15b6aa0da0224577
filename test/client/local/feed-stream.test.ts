/** Requests as lines of one stream: the same verdicts as with single requests, and a fallback when streams do not work. */
import { execFile } from 'node:child_process';
import { createServer, request as httpRequest, type Server } from 'node:http';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createLocalVerifier, type LocalVerifierOptions } from '../../../src/client/local-verifier.ts';
import { VerifierUnavailableError } from '../../../src/client/verdict.ts';
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
import { listen, stopListening } from '../../support/gateway.ts';

let feed: FeedStandIn;
beforeEach(async () => {
  feed = await startFeedStandIn(true);
});
afterEach(() => feed.close());

const [key, another] = [minted(), minted()] as const;

function localVerifier(options: LocalVerifierOptions = {}) {
  const verifier = createLocalVerifier({ url: feed.url, timeoutMs: 20_000, ...options });
  onTestFinished(() => verifier.close());
  return verifier;
}
/** A verifier whose next requests are lines of the stream. */
async function streaming(options: LocalVerifierOptions = {}) {
  const verifier = localVerifier(options);
  for (let i = 0; i < 2; i += 1) expect(await verifier.verify({ key })).toMatchObject({ valid: true });
  expect(feed.calls.at(-1)?.request.url).toBe('/v1/feed/stream');
  feed.calls.splice(0);
  return verifier;
}
const streams = () => new Set(feed.calls.flatMap(({ request }) => (request.url === '/v1/feed' ? [] : [request])));
const connections = () => new Set(feed.calls.map(({ request }) => request.socket));
const nextCall = async (calls: readonly FeedCall[]): Promise<FeedCall> => {
  await expect.poll(() => calls.length, { interval: 1 }).toBe(1);
  return calls[0] ?? expect.fail('there is no call');
};

/** A verifier ends streams of which it hears nothing for half a second. If the machine stands still for so long, again. */
const onPause = { retry: 3 } as const;

describe('a stream', onPause, () => {
  it('is opened for the second of two requests that follow each other, on the same connection', async () => {
    const { verify } = localVerifier();
    for (let i = 0; i < 20; i += 1) expect(await verify({ key: minted() })).toMatchObject({ valid: true });
    expect(feed.calls.map(({ request }) => request.url)).toEqual(['/v1/feed', ...Array(19).fill('/v1/feed/stream')]);
    expect([streams().size, connections().size]).toEqual([1, 1]);
  });

  it('ends after two seconds, and the next one uses its connection', async () => {
    const { verify } = localVerifier();
    const startedAt = performance.now();
    while (streams().size < 3) expect(await verify({ key })).toMatchObject({ valid: true });
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(4000);
    expect(connections().size).toBe(1);
  });

  it('is ended when there are no more requests', async () => {
    const { verify } = await streaming();
    await verify({ key });
    const [stream] = streams();
    await expect.poll(() => stream?.complete).toBe(true);
  });

  it('is closed with the verifier', async () => {
    const { verify, close } = await streaming();
    await verify({ key });
    await close();
    const [connection] = connections();
    await expect.poll(() => connection?.destroyed).toBe(true);
    expect(await failure(verify({ key }))).toBeInstanceOf(VerifierUnavailableError);
  });

  it('does not keep the process from ending, nor do reports, of which that of sources is sent after ten seconds', async () => {
    const script = `
      import { createLocalVerifier } from './src/client/local-verifier.ts';
      const { verify } = createLocalVerifier({ url: '${feed.url}', timeoutMs: 20_000 });
      for (let i = 0; i < 3; i += 1) console.log((await verify({ key: '${key}', sourceIp: '10.0.0.1' })).code);
      console.log(Math.round(performance.now()));
      process.on('exit', () => console.log(Math.round(performance.now())));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module-typescript', '-e', script]);
    expect(streams().size).toBe(1);
    expect(feed.reports.flatMap(({ sources }) => sources)).toEqual([]);
    const [lastAt, exitAt] = stdout.trim().split('\n').slice(3).map(Number);
    expect(stdout).toMatch(/^(VALID\n){3}/);
    // The service ends the stream only after several seconds.
    expect(Number(exitAt) - Number(lastAt)).toBeLessThan(1500);
  });
});

describe('a request on a stream', onPause, () => {
  it('serves all verifications that arrived before it was sent, and no later one', async () => {
    const { verify } = await streaming();
    const calls: FeedCall[] = [];
    feed.answer = (call) => calls.push(call);
    const first = [verify({ key }), verify({ key: another })];
    const question = await nextCall(calls);
    expect(question.question).toMatchObject({ cursor: 'a-cursor', keys: [another] });
    const second = verify({ key });
    calls.splice(0);
    give(question);
    expect((await Promise.all(first)).map(({ keyId }) => keyId)).toEqual([idOf(key), idOf(another)]);
    // The key is cached, but a revoke may have been answered before the second verification arrived.
    const next = await nextCall(calls);
    calls.splice(0);
    give(next, { changed: [idOf(key)] });
    const again = await nextCall(calls);
    expect(again.question.keys).toEqual([key]);
    sendAnswer(again, { ...answerTo(again.question), keys: [{ ...plainRow, keyId: idOf(key), revoked: true }] });
    expect(await second).toMatchObject({ code: 'REVOKED' });
  });

  it('fails after its timeout, and its late answer is not taken for that to the next request', async () => {
    // Long enough for the answers before, also on a busy machine.
    const { verify } = await streaming({ timeoutMs: 5000 });
    const calls: FeedCall[] = [];
    feed.answer = (call) => calls.push(call);
    expect(await failure(verify({ key }))).toBeInstanceOf(VerifierUnavailableError);
    feed.answer = (call) => {
      const [late] = calls;
      if (late !== undefined) give(late);
      const rows = call.question.keys.map(() => ({ ...plainRow, revoked: true }));
      sendAnswer(call, { ...answerTo(call.question, { clear: true }), keys: rows });
    };
    const codes = await Promise.all([verify({ key: another }), verify({ key: minted() })]);
    expect(codes.map(({ code }) => code)).toEqual(['REVOKED', 'REVOKED']);
  });

  it.each([
    ['the service ends the stream', (call: FeedCall) => call.response.end()],
    ['the connection is lost', (call: FeedCall) => call.request.socket.destroy()],
    ['the answer is too long', (call: FeedCall) => call.response.write('x'.repeat(300_000))],
  ])('is asked again as a request when %s', async (_, fault) => {
    const { verify } = await streaming();
    feed.answer = (call) => (call.request.url === '/v1/feed' ? give(call) : fault(call));
    expect(await verify({ key: another })).toMatchObject({ keyId: idOf(another) });
    expect(feed.calls.map(({ request, question }) => [request.url, question.keys])).toEqual([
      ['/v1/feed/stream', [another]],
      ['/v1/feed', [another]],
    ]);
    feed.answer = give;
    for (let i = 0; i < 3; i += 1) expect(await verify({ key })).toMatchObject({ valid: true });
    expect(feed.calls.at(-1)?.request.url).toBe('/v1/feed/stream');
  });
});

describe('in front of the service, a proxy', () => {
  let proxy: Server;
  /** How often a stream was tried. */
  let tried = 0;
  beforeEach(() => {
    tried = 0;
  });
  afterEach(() => stopListening(proxy));

  it.each([
    // Each attempt makes verifications wait, so that the next one is after ten minutes.
    ['that forwards requests only when they are complete', () => undefined, [1]],
    // At once and after one second, then after three, and so on.
    ['that knows no streams', (status: (code: number) => void) => status(404), [1, 2]],
  ])('%s makes every question a request, with few further attempts', async (_, answer, attempts) => {
    proxy = createServer((request, response) => {
      if (request.url === '/v1/feed/stream') {
        tried += 1;
        answer((code) => response.writeHead(code).end());
        return;
      }
      const onward = httpRequest(feed.url + request.url, { method: 'POST' }, (answered) => answered.pipe(response));
      request.pipe(onward);
    });
    const { verify } = localVerifier({ url: await listen(proxy), timeoutMs: 6000 });
    const startedAt = performance.now();
    while (performance.now() - startedAt < 2500) expect(await verify({ key })).toMatchObject({ valid: true });
    expect(new Set(feed.calls.map(({ request }) => request.url))).toEqual(new Set(['/v1/feed']));
    expect(attempts).toContain(tried);
  });
});
