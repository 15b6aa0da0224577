/**
 * The entry point of the process that sends webhooks. Teams choose the receivers, and so what their names, certificates
 * and answers cost. So this process has no database, no secrets and no port, and its end delays only webhooks.
 */
import type { SendOptions, WebhookRequest } from '../events/sender/webhook-sender.ts';
import { composeSender } from './compose/compose-sender.ts';
import { onSupervisorMessage, sendToSupervisor } from './processes/messages.ts';
import { runPlane } from './processes/plane-process.ts';
import { unavailable } from './processes/process-link.ts';
import { throttledReport } from './processes/throttled-report.ts';

await runPlane(async (configuration, log) => {
  const report = throttledReport(log);
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
    } catch (error) {
      // Otherwise it is canceled, and the caller waits no longer.
      if (!abort.signal.aborted) {
        report(error, 'a webhook could not be sent');
        sendToSupervisor({ kind: 'reply', to, id, outcome: unavailable('sender') });
      }
    } finally {
      underWay.delete(id);
    }
  };
  onSupervisorMessage((message) => {
    if (message.kind === 'cancel') underWay.get(message.id)?.abort();
    else if (message.kind === 'ended' && message.callee === 'management') {
      // The next one sends again what is under way. It must not arrive after the events that follow it.
      for (const abort of underWay.values()) abort.abort();
    } else if (message.kind === 'call' && message.call.to === 'sender') {
      void send(message.from, message.id, ...message.call.arguments);
    }
  });
  return { server: null, readings: {}, startDraining: () => undefined, close: async () => close() };
});
