/** What a local verifier counts, and reports to the service. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Upstreams } from '../../../src/client/local/upstreams.ts';
import { reportTimeoutMs, UsageReports } from '../../../src/client/local/usage-reports.ts';
import { createLocalVerifier } from '../../../src/client/local-verifier.ts';
import { parseIpAddress } from '../../../src/domain/source/ip-address.ts';
import type { DatabaseProvider } from '../../../src/lib/database-address.ts';
import { readUsage } from '../../../src/manage/read/read-usage.ts';
import { callTimeoutMs } from '../../../src/service/processes/process-link.ts';
import { maxReportCount } from '../../../src/wire/feed-messages.ts';
import { providers } from '../../support/databases.ts';
import {
  answerTo,
  type FeedStandIn,
  idOf,
  minted,
  plainRow,
  sendAnswer,
  startFeedStandIn,
} from '../../support/feed-stand-in.ts';
import { startGateway } from '../../support/gateway.ts';
import { both, callerOf } from '../../support/service.ts';

const hourMs = 3_600_000;

async function start(provider: DatabaseProvider) {
  const gateway = await startGateway(provider);
  onTestFinished(() => gateway.stop());
  return gateway;
}

describe.each(providers)('on %s, a local verifier', (provider) => {
  it('reports the use of keys, and from where they were used', async () => {
    const gateway = await start(provider);
    const local = createLocalVerifier({ url: gateway.url, timeoutMs: 20_000 });
    const { id, secret } = await gateway.issue();
    for (let i = 0; i < 3; i += 1) await local.verify({ key: secret, sourceIp: '203.0.113.9' });
    await local.verify({ key: secret, env: 'test' });
    await local.close();
    const { management } = gateway.running.service;
    const [from, to] = [new Date(Date.now() - 2 * hourMs), new Date(Date.now() + hourMs)];
    const hours = await readUsage(management, callerOf({ [gateway.teamId]: both }), { keyId: id, from, to });
    const counts = hours.map(({ code, count }) => `${code} ${count}`);
    expect(counts.sort()).toEqual(['VALID 3', 'WRONG_ENVIRONMENT 1']);
    const { listed } = await management.store.observedSources.list(id, 1);
    expect(listed).toMatchObject([{ address: '203.0.113.9', counts: [{ code: 'VALID', count: 3 }] }]);
  });

  it('shares a rate limit with the service and with other local verifiers', async () => {
    const gateway = await start(provider);
    const [one, other] = [
      createLocalVerifier({ url: gateway.url, timeoutMs: 20_000 }),
      createLocalVerifier({ url: gateway.url }),
    ];
    const { secret: key } = await gateway.issue({ rateLimit: { limit: 5, windowSeconds: 86_400 } });
    for (let remaining = 4; remaining >= 0; remaining -= 1) {
      expect(await one.verify({ key })).toMatchObject({ code: 'VALID', rateLimit: { limit: 5, remaining } });
    }
    expect(await one.verify({ key })).toMatchObject({ code: 'RATE_LIMITED', rateLimit: { remaining: 0 } });
    const accepted: string[] = [];
    const isLimited = async () => {
      const { code } = await other.verify({ key });
      accepted.push(code);
      return code === 'RATE_LIMITED';
    };
    await expect.poll(isLimited).toBe(true);
    expect(accepted.length).toBeLessThanOrEqual(6);
    await one.close();
    await other.close();
  });
});

/** A stand-in for the feed, with a local verifier and its errors. */
async function startLocal(...statuses: readonly number[]) {
  const feed = await startFeedStandIn();
  feed.reportStatuses.push(...statuses);
  const errors: unknown[] = [];
  const onReportError = (error: unknown) => void errors.push(error);
  const local = createLocalVerifier({ url: feed.url, timeoutMs: 20_000, onReportError });
  onTestFinished(async () => {
    await local.close();
    await feed.close();
  });
  return { feed, local, errors, key: minted() };
}

/** What an edge counts, over a stand-in for the feed. `send` sends all. */
async function startReports() {
  const feed = await startFeedStandIn();
  onTestFinished(() => feed.close());
  const upstreams = new Upstreams({ urls: [feed.url], token: undefined, timeoutMs: 20_000 });
  const errors: unknown[] = [];
  const reports = new UsageReports(upstreams, randomUUID(), (error) => errors.push(error));
  const send = () => reports.close().then(() => upstreams.close());
  return { feed, reports, errors, send };
}

const numbered = async (feed: FeedStandIn, count: number) =>
  expect.poll(() => feed.reports.length).toBeGreaterThanOrEqual(count);

describe('a report', () => {
  it('that the service does not take is sent again, with what was counted meanwhile', async () => {
    const { feed, local, errors, key } = await startLocal(503, 500);
    await local.verify({ key });
    await numbered(feed, 2);
    await local.verify({ key });
    await numbered(feed, 3);
    const total = feed.reports[2]?.usage.flatMap(({ counts }) => counts).reduce((sum, { count }) => sum + count, 0);
    expect(total).toBe(2);
    expect(errors.map(String)).toEqual([
      expect.stringContaining('gave no usable answer: it answered 503'),
      expect.stringContaining('gave no usable answer: it answered 500'),
    ]);
    expect(JSON.stringify(feed.reports)).not.toContain(key);
  });

  it('does not move the requests to another connection, which may lead to another process', async () => {
    const { feed, local, key } = await startLocal();
    let release: () => void = () => undefined;
    feed.reportsWait = new Promise<void>((resolve) => {
      release = resolve;
    });
    await local.verify({ key });
    await numbered(feed, 1);
    await local.verify({ key });
    release();
    // The next report is sent only after the answer to the first one.
    await numbered(feed, 2);
    await local.verify({ key });
    expect(new Set(feed.calls.map(({ request }) => request.socket)).size).toBe(1);
  });

  it('does not end when the function that is told of errors fails', async () => {
    const { feed, local, errors, key } = await startLocal(503, 400, 503);
    errors.push = () => {
      throw new Error('an error of the program');
    };
    for (const reports of [1, 2, 3, 4]) {
      await local.verify({ key });
      await numbered(feed, reports);
    }
  });

  it('has no records of more than 48 hours ago, which the service would reject with all others', async () => {
    const { feed, reports, errors, send } = await startReports();
    const source = parseIpAddress('10.0.0.1') ?? expect.fail('it is an address');
    for (const [id, hours] of [
      ['recent', 46],
      ['old', 49],
    ] as const) {
      const at = Date.now() - hours * hourMs;
      const used = { id, teamId: 'team', presentedVersion: 1 };
      reports.usage.record(used, 'VALID', at);
      reports.usage.record(used, 'EXPIRED', at);
      reports.sources.record(used, source, 'VALID', at);
    }
    await send();
    expect(feed.reports.flatMap(({ usage, sources }) => [...usage, ...sources]).map(({ keyId }) => keyId)).toEqual([
      'recent',
      'recent',
    ]);
    expect(reports.dropped).toEqual({ usage: 2, sources: 1 });
    expect(errors).toHaveLength(2);
  });

  it.each([400, 413])('that is rejected with %i is not sent again', async (status) => {
    const { feed, local, errors, key } = await startLocal(status);
    await local.verify({ key });
    await expect.poll(() => errors.length).toBe(1);
    await local.close();
    expect(feed.reports).toHaveLength(1);
  });

  it('of rate limits is counted again when its answer was lost, which never admits more', async () => {
    const { feed, local, key } = await startLocal(503, 503);
    const rateLimit = { limit: 100, windowSeconds: 86_400 };
    feed.answer = (call) => {
      const rows = call.question.keys.map((key) => ({ ...plainRow, keyId: idOf(key), rateLimit }));
      sendAnswer(call, { ...answerTo(call.question), keys: rows });
    };
    expect(await local.verify({ key })).toMatchObject({ rateLimit: { remaining: 99 } });
    const rates = () => feed.reports.flatMap((report) => report.rates).map(({ count }) => count);
    await expect.poll(() => rates().length).toBeGreaterThanOrEqual(2);
    expect(rates().slice(0, 2)).toEqual([1, 1]);
    expect(await local.verify({ key })).toMatchObject({ rateLimit: { remaining: 98 } });
  });
});

it('a report that times out may still be written, so that only the next one goes to the next upstream', async () => {
  const feeds = [await startFeedStandIn(), await startFeedStandIn()] as const;
  onTestFinished(async () => {
    for (const feed of feeds) await feed.close();
  });
  feeds[0].reportsWait = new Promise(() => undefined);
  const upstreams = new Upstreams({ urls: feeds.map(({ url }) => url), token: undefined, timeoutMs: 20_000 });
  const body = { edge: randomUUID(), usage: [], sources: [], rates: [] };
  const message = { path: 'feed/reports', body, secrets: [], limitBytes: 1000, parse: () => 'taken' } as const;
  await expect(upstreams.post({ ...message, timeoutMs: 2000 })).rejects.toThrow('no answer in 2000 ms');
  const reports = () => feeds.map((feed) => feed.reports.length);
  expect(reports()).toEqual([1, 0]);
  expect(await upstreams.post(message)).toBe('taken');
  expect(reports()).toEqual([1, 1]);
  upstreams.close();
});

it('a report waits longer for its answer than a verification process waits for management', () => {
  expect(reportTimeoutMs).toBeGreaterThan(callTimeoutMs);
});

it('a count above what one report may have is sent in several', async () => {
  const { feed, reports, errors, send } = await startReports();
  const [busy, idle] = ['busy', 'idle'].map((id) => ({ id, teamId: 'team', presentedVersion: 1 }));
  if (busy === undefined || idle === undefined) return expect.fail('there are two keys');
  const now = Date.now();
  for (let i = 0; i <= maxReportCount; i += 1) reports.usage.record(busy, 'VALID', now);
  reports.usage.record(idle, 'VALID', now);
  await send();
  expect(errors).toEqual([]);
  const sent = feed.reports.map(({ usage }) => usage.map(({ keyId, counts: [one] }) => [keyId, one?.count]));
  expect(sent).toEqual([
    [
      ['busy', maxReportCount],
      ['idle', 1],
    ],
    [['busy', 1]],
  ]);
});
