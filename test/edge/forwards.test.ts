/** Verifications at an edge that only the service can decide on, and what they must not do to the others. */
import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { createLocalVerifier } from '../../src/client/local-verifier.ts';
import { readEdgeConfiguration } from '../../src/config/edge-configuration.ts';
import { createKey } from '../../src/manage/change/create-key.ts';
import { updateKey } from '../../src/manage/change/update-key.ts';
import { composeEdge } from '../../src/service/compose/compose-edge.ts';
import {
  answerTo,
  type FeedStandIn,
  idOf,
  minted,
  plainRow,
  sendAnswer,
  startFeedStandIn,
} from '../support/feed-stand-in.ts';
import { listen, send, startGateway, stopListening } from '../support/gateway.ts';
import { startNameServer } from '../support/name-server.ts';
import { both, callerOf } from '../support/service.ts';

const address = '203.0.113.7';

async function startEdge(...upstream: readonly string[]) {
  const edge = await composeEdge(readEdgeConfiguration({}, { upstream }), () => undefined);
  onTestFinished(async () => {
    await stopListening(edge.gateway);
    await edge.close();
  });
  return { ...edge, url: await listen(edge.gateway) };
}

const verify = (url: string, key: string) =>
  send(url, { method: 'POST', path: '/v1/verify', body: JSON.stringify({ key, sourceIp: address }) });

it("while a team's host names get no DNS answer, an edge serves the other teams' keys with host names", async () => {
  const names = await startNameServer({ 'gate.example': [address], 'other.example': [address] });
  const gateway = await startGateway('sqlite', { DNS_SERVERS: names.address });
  onTestFinished(async () => {
    names.release();
    await gateway.stop();
    names.stop();
  });
  const silent = await gateway.issue({ allowedIps: ['gate.example'] });
  const { management } = gateway.running.service;
  const teamId = randomUUID();
  const caller = callerOf({ [teamId]: both });
  const other = await createKey(management, caller, { teamId, name: 'A key', env: 'live' });
  await updateKey(management, caller, other.apiKey.id, { allowedIps: ['other.example'] });
  const local = createLocalVerifier({ url: gateway.url, timeoutMs: 20_000 });
  onTestFinished(() => local.close());
  const codeOfOther = async () => (await local.verify({ key: other.secret, sourceIp: address })).code;
  await expect.poll(codeOfOther).toBe('VALID');
  names.hold();
  let decided = 0;
  const flood = Array.from({ length: 100 }, async () => {
    await local.verify({ key: silent.secret, sourceIp: address });
    decided += 1;
  });
  await expect.poll(names.questions).toBeGreaterThan(2);
  expect([await codeOfOther(), decided]).toEqual(['VALID', 0]);
  names.release();
  await Promise.all(flood);
});

async function startUpstream(): Promise<FeedStandIn> {
  const feed = await startFeedStandIn();
  onTestFinished(() => feed.close());
  return feed;
}

/** The keys are signed ones. `/v1/verify` is answered with this status. */
function signedKeys(feed: FeedStandIn, status: number | 'held', headers: Readonly<Record<string, string>> = {}) {
  const asked: string[] = [];
  feed.answer = (call) => {
    asked.push(call.request.url ?? '');
    if (call.request.url === '/v1/feed') {
      const rows = call.question.keys.map((secret) => ({ ...plainRow, keyId: idOf(secret), signed: true }));
      sendAnswer(call, { ...answerTo(call.question), keys: rows });
      return;
    }
    if (status === 'held') return;
    for (const [name, value] of Object.entries(headers)) call.response.setHeader(name, value);
    sendAnswer(call, {}, status);
  };
  return asked;
}

it('at most 128 verifications of one team wait for the service, and they hold no place of the port', async () => {
  const upstream = await startUpstream();
  const asked = signedKeys(upstream, 'held');
  const local = createLocalVerifier({ url: upstream.url, timeoutMs: 20_000 });
  const key = minted();
  const ofKey = () => local.verify({ key }).catch((error: unknown) => error);
  const pending = Array.from({ length: 128 }, ofKey);
  await expect.poll(() => asked.filter((path) => path === '/v1/verify').length).toBe(128);
  expect(await ofKey()).toMatchObject({ name: 'VerifierUnavailableError', retryAfterSeconds: 1 });
  await local.close();
  await Promise.all(pending);
  const { url, readings } = await startEdge(upstream.url);
  const waiting = verify(url, key);
  await expect.poll(() => asked.filter((path) => path === '/v1/verify').length, { interval: 1 }).toBe(129);
  expect(readings().requests.underWay).toBe(0);
  await waiting;
});

it('a verification that an upstream gives no verdict on does not move the requests to another upstream', async () => {
  const [first, second] = [await startUpstream(), await startUpstream()];
  const asked = signedKeys(first, 503, { 'retry-after': '1' });
  signedKeys(second, 503, { 'retry-after': '1' });
  const { url } = await startEdge(first.url, second.url);
  for (let i = 0; i < 3; i += 1) expect((await verify(url, minted())).status).toBe(503);
  expect(asked.filter((path) => path === '/v1/feed')).toHaveLength(3);
  expect(second.calls.map(({ request }) => request.url)).not.toContain('/v1/feed');
});

it.each([
  [503, 7, { status: 503, code: 'UNAVAILABLE' }],
  [429, 9, { status: 429, code: 'RATE_LIMITED' }],
])('the Retry-After of an upstream that answers %d is passed on', async (status, seconds, expected) => {
  const upstream = await startUpstream();
  signedKeys(upstream, status, { 'retry-after': String(seconds) });
  const { url } = await startEdge(upstream.url);
  const { headers, body } = await verify(url, minted());
  expect(headers['retry-after']).toBe(String(seconds));
  expect(JSON.parse(body)).toMatchObject({
    ...expected,
    detail: expect.stringContaining('An upstream gave no verdict'),
  });
});

it('an edge whose token is rejected says that it is not the upstream that does not answer', async () => {
  const upstream = await startUpstream();
  upstream.answer = (call) => sendAnswer(call, {}, 401);
  const { url } = await startEdge(upstream.url);
  const { status, body } = await verify(url, minted());
  expect([status, JSON.parse(body).detail]).toEqual([503, 'An upstream rejected the call of this edge.']);
});
