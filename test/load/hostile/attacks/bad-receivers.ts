/**
 * A team has 20 endpoints that hang, drip, refuse connections or send without end, or whose TLS handshakes are expensive,
 * and makes more events than its budget allows for long. The events of another team arrive, and others verify and manage
 * keys. What changes at full speed cost others is measured by the attack `many-changes`.
 */

import type { Server } from '../../../harness/server.ts';
import { rest } from '../../../support/service.ts';
import { rawRequest } from '../../raw-connection.ts';
import { startScript } from '../../script.ts';
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
  run: async (stage) => await withReceivers(stage, 'bad-receivers', everyVictim),
};
export const expensiveHandshakes: Attack = {
  name: 'expensive-handshakes',
  run: async (stage) => await withReceivers(stage, 'expensive-handshakes', everyVictim),
};
/** Of many teams, since a team has at most 40 requests at the same time. */
export const unendedAnswers: Attack = {
  name: 'unended-answers',
  run: async (stage) =>
    await withReceivers(stage, 'bad-receivers', async ({ server, urls, measureEvents }) => {
      const unended = [urls['a dripped body'] ?? ''];
      return [await measureEvents(() => attackFrom(server, unended, 25))];
    }),
};

interface Receivers {
  readonly server: Server;
  /** By their kind. */
  readonly urls: Readonly<Record<string, string>>;
  readonly measureEvents: (begin: () => Promise<Assault>) => Promise<Row>;
}

async function withReceivers(
  stage: Stage,
  program: 'bad-receivers' | 'expensive-handshakes',
  attack: (receivers: Receivers) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const server = await stage.start({ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' });
  const receivers = await startScript([`test/load/hostile/${program}-process.ts`]);
  const victim = await DeliveredEvents.prepare(server, newWebhookTenant());
  const measureEvents = async (begin: () => Promise<Assault>) => {
    const start = () => victim.start(eventsPerSecond);
    const measured = await measure({ victim: `events of another team, ${eventsPerSecond}/s`, start, begin });
    return delayRow(measured, delayMs);
  };
  try {
    return await attack({ server, urls: JSON.parse(receivers.printed), measureEvents });
  } finally {
    await victim.close();
    await receivers.stop();
  }
}

async function everyVictim({ server, urls, measureEvents }: Receivers): Promise<readonly Row[]> {
  const begin = () => attackFrom(server, Object.values(urls));
  const delivered = await measureEvents(begin);
  const key = await createKey(server, newTenant());
  const verified = await measure({
    victim: "verification of another team's key",
    plan: () => verifications(server, key),
    begin,
  });
  const tenant = newTenant();
  const ids = (await createKeys(server, tenant, managedKeys)).map(({ id }) => id);
  return [delivered, latencyRow(verified, verificationBound), ...(await measureManagement(server, tenant, ids, begin))];
}

/** New teams each time, since a team's budget is used up soon. */
async function attackFrom(server: Server, urls: readonly string[], teams = 1): Promise<Assault> {
  const tenants = Array.from({ length: teams }, newWebhookTenant);
  const webhooks: { readonly id: string; readonly token: string }[] = [];
  const requests: string[] = [];
  for (const tenant of tenants) {
    const { token } = tenant;
    const created = await createKeys(server, tenant, Math.ceil(keys / teams));
    for (let i = 0; i < endpoints; i += 1) {
      const { id } = await createWebhook(server, tenant, `${urls[i % urls.length]}/${i}`);
      webhooks.push({ id, token });
    }
    for (const name of ['A', 'B']) {
      for (const { id } of created) {
        requests.push(rawRequest({ method: 'PATCH', path: `/v1/keys/${id}`, token, body: { name } }));
      }
    }
  }
  const changes = await flood(server.url, requests, connections, { perSecond: changesPerSecond });
  return {
    stop: async () => {
      const report = await changes.stop();
      // What waits for these endpoints must not disturb the next calm measurement.
      for (const { id, token } of webhooks) await rest(server.url, token, 'DELETE', `/v1/webhooks/${id}`);
      return report;
    },
  };
}
