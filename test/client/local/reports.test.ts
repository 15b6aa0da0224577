/** What a local verifier counts, and reports to the service. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLocalVerifier } from '../../../src/client/local-verifier.ts';
import { mintSecret } from '../../../src/domain/secret.ts';
import { readUsage } from '../../../src/manage/read-usage.ts';
import { oneProvider, type Provider } from '../../support/databases.ts';
import { answerTo, idOf, plainRow, sendAnswer, startFeedStandIn } from '../../support/feed-stand-in.ts';
import { startGateway } from '../../support/gateway.ts';
import { both, callerOf } from '../../support/service.ts';

const hourMs = 3_600_000;

async function start(provider: Provider) {
  const gateway = await startGateway(provider);
  onTestFinished(() => gateway.stop());
  return gateway;
}

describe.each(oneProvider)('on %s, a local verifier', (provider) => {
  it('reports the use of keys, and from where they were used', async () => {
    const gateway = await start(provider);
    const local = createLocalVerifier({ url: gateway.url, timeoutMs: 20_000 });
    const { id, secret } = await gateway.issue();
    for (let i = 0; i < 3; i += 1) await local.verify({ key: secret, sourceIp: '203.0.113.9' });
    await local.verify({ key: secret, env: 'test' });
    await local.close();
    const { management } = gateway.running.service;
    const [from, to] = [new Date(Date.now() - hourMs), new Date(Date.now() + hourMs)];
    const hours = await readUsage(management, callerOf({ [gateway.teamId]: both }), { keyId: id, from, to });
    const counts = hours.map(({ code, count }) => `${code} ${count}`);
    expect(counts.sort()).toEqual(['VALID 3', 'WRONG_ENVIRONMENT 1']);
    const sources = await management.store.observedSources.list(id, 1);
    expect(sources).toMatchObject([{ address: '203.0.113.9', counts: [{ code: 'VALID', count: 3 }] }]);
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
    await expect.poll(isLimited, { timeout: 5000 }).toBe(true);
    expect(accepted.length).toBeLessThanOrEqual(6);
    await one.close();
    await other.close();
  });
});

describe('a report', () => {
  const minted = () => mintSecret('lk', 'live', randomBytes).secret;

  it('that the service does not take is sent again, with what was counted meanwhile', async () => {
    const feed = await startFeedStandIn();
    onTestFinished(() => feed.close());
    feed.reportStatuses.push(503, 500);
    const errors: unknown[] = [];
    const local = createLocalVerifier({
      url: feed.url,
      timeoutMs: 20_000,
      onReportError: (error) => errors.push(error),
    });
    const key = minted();
    await local.verify({ key });
    await expect.poll(() => feed.reports.length, { timeout: 10_000 }).toBe(2);
    await local.verify({ key });
    await expect.poll(() => feed.reports.length, { timeout: 10_000 }).toBe(3);
    const total = feed.reports[2]?.usage.flatMap(({ counts }) => counts).reduce((sum, { count }) => sum + count, 0);
    expect(total).toBe(2);
    expect(errors).toHaveLength(2);
    expect(JSON.stringify(feed.reports)).not.toContain(key);
    await local.close();
  });

  it('does not move the questions to another connection, which may lead to another process', async () => {
    const feed = await startFeedStandIn();
    onTestFinished(() => feed.close());
    const local = createLocalVerifier({ url: feed.url, timeoutMs: 20_000 });
    const key = minted();
    let release: () => void = () => undefined;
    feed.reportsWait = new Promise<void>((resolve) => {
      release = resolve;
    });
    await local.verify({ key });
    await expect.poll(() => feed.reports.length, { timeout: 10_000 }).toBe(1);
    await local.verify({ key });
    release();
    // The next report is sent only after the answer to the first one.
    await expect.poll(() => feed.reports.length, { timeout: 10_000 }).toBe(2);
    await local.verify({ key });
    expect(new Set(feed.calls.map(({ request }) => request.socket)).size).toBe(1);
    await local.close();
  });

  it('that is rejected is not sent again', async () => {
    const feed = await startFeedStandIn();
    onTestFinished(() => feed.close());
    feed.reportStatuses.push(400);
    const errors: unknown[] = [];
    const local = createLocalVerifier({
      url: feed.url,
      timeoutMs: 20_000,
      onReportError: (error) => errors.push(error),
    });
    await local.verify({ key: minted() });
    await expect.poll(() => errors.length, { timeout: 10_000 }).toBe(1);
    await local.close();
    expect(feed.reports).toHaveLength(1);
  });

  it('of rate limits is counted again when its answer was lost, which never admits more', async () => {
    const feed = await startFeedStandIn();
    onTestFinished(() => feed.close());
    const rateLimit = { limit: 100, windowSeconds: 86_400 };
    feed.answer = (call) => {
      const rows = call.question.keys.map((key) => ({ ...plainRow, keyId: idOf(key), rateLimit }));
      sendAnswer(call, { ...answerTo(call.question), keys: rows });
    };
    feed.reportStatuses.push(503, 503);
    const local = createLocalVerifier({ url: feed.url, timeoutMs: 20_000 });
    const key = minted();
    expect(await local.verify({ key })).toMatchObject({ rateLimit: { remaining: 99 } });
    const rates = () => feed.reports.flatMap((report) => report.rates).map(({ count }) => count);
    await expect.poll(() => rates().length, { timeout: 10_000 }).toBeGreaterThanOrEqual(2);
    expect(rates().slice(0, 2)).toEqual([1, 1]);
    expect(await local.verify({ key })).toMatchObject({ rateLimit: { remaining: 98 } });
    await local.close();
  });
});
