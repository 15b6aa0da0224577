/**
 * A team has 20 endpoints that hang, drip, refuse connections or send without end, or whose TLS handshakes are expensive,
 * and makes more events than its budget allows for long. The events of another team arrive, and others verify and manage
 * keys. What changes at full speed cost others is measured by the attack `many-changes`.
 */
import { rawRequest } from '../../load/raw-connection.ts';
import { startScript } from '../../load/script.ts';
import type { Server } from '../../load/server.ts';
import { rest } from '../../support/service.ts';
import {
  type Assault,
  type Attack,
  delayRow,
  latencyRow,
  measure,
  type Row,
  type Stage,
  verificationBound,
} from '../attack.ts';
import { createWebhook, DeliveredEvents } from '../delivered-events.ts';
import { flood } from '../load.ts';
import {
  createKey,
  createKeys,
  managedKeys,
  measureManagement,
  newTenant,
  newWebhookTenant,
  verifications,
} from '../tenants.ts';

/** As many as a team may have. */
const endpoints = 20;
const connections = 16;
/** A budget of 20,000 changes an hour is 5.6 a second. With 20 endpoints, these are 400 deliveries a second. */
const changesPerSecond = 20;
const keys = 50;
const eventsPerSecond = 10;
const delayMs = 1000;

export const badReceivers: Attack = {
  name: 'bad-receivers',
  run: (stage) => run(stage, 'bad-receivers', 'http'),
};
export const expensiveHandshakes: Attack = {
  name: 'expensive-handshakes',
  run: (stage) => run(stage, 'expensive-handshakes', 'https'),
};

async function run(stage: Stage, name: string, protocol: string): Promise<readonly Row[]> {
  const server = await stage.start({ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' });
  const receivers = await startScript([`test/hostile/${name}-process.ts`]);
  const ports: Readonly<Record<string, number>> = JSON.parse(receivers.printed);
  const begin = () =>
    attackFrom(
      server,
      Object.values(ports).map((port) => `${protocol}://127.0.0.1:${port}`),
    );
  const victim = await DeliveredEvents.prepare(server, newWebhookTenant());
  try {
    const delivered = await measure({
      victim: `events of another team, ${eventsPerSecond}/s`,
      start: () => victim.start(eventsPerSecond),
      begin,
    });
    const key = await createKey(server, newTenant());
    const verified = await measure({
      victim: "verification of another team's key",
      plan: () => verifications(server, key),
      begin,
    });
    const tenant = newTenant();
    const ids = (await createKeys(server, tenant, managedKeys)).map(({ id }) => id);
    const managed = await measureManagement(server, tenant, ids, begin);
    return [delayRow(delivered, delayMs), latencyRow(verified, verificationBound), ...managed];
  } finally {
    await victim.close();
    await receivers.stop();
  }
}

/** A new team each time, since a team's budget is used up soon. */
async function attackFrom(server: Server, origins: readonly string[]): Promise<Assault> {
  const tenant = newWebhookTenant();
  const created = await createKeys(server, tenant, keys);
  const webhooks: { readonly id: string }[] = [];
  for (let i = 0; i < endpoints; i += 1) {
    webhooks.push(await createWebhook(server, tenant, `${origins[i % origins.length]}/${i}`));
  }
  const requests = ['A', 'B'].flatMap((name) =>
    created.map(({ id }) =>
      rawRequest({ method: 'PATCH', path: `/v1/keys/${id}`, token: tenant.token, body: { name } }),
    ),
  );
  const changes = await flood(server.url, requests, connections, { perSecond: changesPerSecond });
  return {
    stop: async () => {
      const report = await changes.stop();
      // What waits for these endpoints must not disturb the next calm measurement.
      for (const { id } of webhooks) await rest(server.url, tenant.token, 'DELETE', `/v1/webhooks/${id}`);
      return report;
    },
  };
}
