/** A member of a team has 1,000 events sent again to the team's endpoint. The new events of this endpoint still arrive soon. */
import { setTimeout as pause } from 'node:timers/promises';
import { limits } from '../../../../src/domain/limits.ts';
import { rest } from '../../../support/service.ts';
import { type Attack, delayRow, measure } from '../attack.ts';
import { DeliveredEvents } from '../delivered-events.ts';
import { createKeys, newWebhookTenant } from '../tenants.ts';

const eventsPerSecond = 10;
const delayMs = 1000;

export const replays: Attack = {
  name: 'replays',
  run: async (stage) => {
    const server = await stage.start({ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' });
    const tenant = newWebhookTenant();
    const from = new Date().toISOString();
    await createKeys(server, tenant, limits.replayedEvents);
    const to = new Date().toISOString();
    const victim = await DeliveredEvents.prepare(server, tenant);
    const path = `/v1/webhooks/${victim.webhookId}`;
    const begin = async () => {
      const { status, body } = await rest(server.url, tenant.token, 'POST', `${path}/replay`, { from, to });
      if (status !== 200) throw new Error(`nothing was replayed: ${status} ${JSON.stringify(body)}`);
      return {
        stop: async () => {
          const waiting = () => rest(server.url, tenant.token, 'GET', `${path}/deliveries?outcome=PENDING&limit=1`);
          // What waits must not disturb the next calm measurement.
          while ((await waiting()).body.length > 0) await pause(100);
          return { served: body.count, rejected: 0, others: {} };
        },
      };
    };
    try {
      const start = () => victim.start(eventsPerSecond);
      const measured = await measure({ victim: `new events of the endpoint, ${eventsPerSecond}/s`, start, begin });
      return [delayRow(measured, delayMs)];
    } finally {
      await victim.close();
    }
  },
};
