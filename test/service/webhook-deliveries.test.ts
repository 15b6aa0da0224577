/** Webhooks of a running service, and of two instances on one store. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { metricsOf } from '../../src/metrics/exposition.ts';
import { providers } from '../support/databases.ts';
import { addWebhook } from '../support/deliveries.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';
import { Scrape } from '../support/scrape.ts';
import { secondInstance } from '../support/service.ts';

describe.each(providers)('on %s', (provider) => {
  let gateway: RunningGateway;
  let receiver: Receiver;
  beforeAll(async () => {
    gateway = await startGateway(provider, { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' });
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await gateway.stop();
    await receiver.stop();
  });

  const readings = async ({ readings }: Pick<RunningGateway['running']['service'], 'readings'>) =>
    new Scrape(await metricsOf(readings).text());

  it('each change reaches the endpoint of its team, from one instance at a time, and is counted', async () => {
    const { store, signingKeks } = gateway.management;
    const { id } = await addWebhook(store, gateway.teamId, receiver.url, {}, signingKeks);
    const other = await secondInstance(gateway.running, { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' });
    const keys = [await gateway.issue(), await gateway.issue()];
    for (const key of keys) await gateway.revoke(key.id);
    await expect.poll(() => receiver.requests.length).toBeGreaterThanOrEqual(4);
    const last = await store.auditLog.lastRevision();
    await expect.poll(async () => (await store.webhooks.find(id))?.cursor).toBe(last);
    // Some may arrive twice, if another instance takes over from one that stands still. If both delivered, all would.
    expect(receiver.requests.length).toBeLessThan(8);
    const arrived = receiver.requests.map(({ body }) => JSON.parse(body));
    const bodies = [...new Map(arrived.map((event) => [event.id, event])).values()];
    expect(bodies).toHaveLength(4);
    for (const key of keys) {
      const ofKey = bodies.filter(({ data }) => data.key.id === key.id);
      expect(ofKey.map(({ type }) => type)).toEqual(['key.created', 'key.revoked']);
      expect(ofKey[0].data.key).toMatchObject({ name: 'A key', env: 'live' });
    }
    expect(receiver.requests[0]?.headers['user-agent']).toMatch(/^Latchkey\/\d/);
    const sum = async (name: string, labels: Record<string, string> = {}) => {
      const scrapes = [await readings(gateway.running.service), await readings(other)];
      return scrapes.reduce((total, scrape) => total + (scrape.value(name, labels) ?? Number.NaN), 0);
    };
    // An attempt is counted when its answer has arrived.
    const delivered = () => sum('latchkey_delivery_attempts_total', { outcome: 'delivered' });
    await expect.poll(delivered).toBeGreaterThanOrEqual(4);
    expect(await delivered()).toBeLessThanOrEqual(receiver.requests.length);
    expect(await sum('latchkey_delivery_attempts_total', { outcome: 'retried' })).toBe(0);
    expect(await sum('latchkey_endpoints_disabled_total', { reason: 'gone' })).toBe(0);
    receiver.answer = () => 500;
    await gateway.issue();
    const oldest = async (service: typeof other) =>
      (await readings(service)).value('latchkey_oldest_undelivered_event_seconds', {}) ?? 0;
    await expect
      .poll(async () => Math.max(await oldest(gateway.running.service), await oldest(other)))
      .toBeGreaterThan(0);
    receiver.answer = () => 410;
    const disabled = () => Promise.all([gateway.running.service, other].map(readings));
    await expect
      .poll(
        async () =>
          (await disabled()).reduce(
            (n, s) => n + (s.value('latchkey_endpoints_disabled_total', { reason: 'gone' }) ?? 0),
            0,
          ),
        { timeout: 50_000 },
      )
      .toBe(1);
    await other.close();
  });
});
