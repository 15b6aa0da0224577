/**
 * The entry point of the process that sends webhooks. Teams choose the receivers, and so what their names, certificates
 * and answers cost. So this process has no database, no secrets and no port, and its end delays only webhooks.
 */
import type { SendOptions, WebhookRequest } from '../events/sender/webhook-sender.ts';
import { composeSender } from './compose/compose-sender.ts';
import { onSupervisorMessage, sendToSupervisor } from './processes/messages.ts';
import { runPlane } from './processes/plane-process.ts';

await runPlane(async (configuration) => {
  const { sender, close } = composeSender(configuration);
  const underWay = new Map<string, AbortController>();
  const send = async (to: string, id: string, webhook: WebhookRequest) => {
    const abort = new AbortController();
    underWay.set(id, abort);
    const options: SendOptions = {
      signal: abort.signal,
      onStatus: () => sendToSupervisor({ kind: 'progress', to, id }),
    };
    try {
      const value = await sender.send(webhook, options);
      sendToSupervisor({ kind: 'reply', to, id, outcome: { ok: true, value } });
    } catch {
      // It is canceled, and the caller waits no longer.
    } finally {
      underWay.delete(id);
    }
  };
  onSupervisorMessage((message) => {
    if (message.kind === 'cancel') underWay.get(message.id)?.abort();
    else if (message.kind === 'call' && message.call.to === 'sender') {
      void send(message.from, message.id, ...message.call.arguments);
    }
  });
  return { server: null, readings: {}, startDraining: () => undefined, close: async () => close() };
});
