/** Starts what follows the log: deliveries to endpoints, the operator's stream, and the calls that wait for events. */
import type { Configuration } from '../../config/configuration.ts';
import { formsOf, unnamedInstallation } from '../../events/forms/forms.ts';
import { LogTail } from '../../events/log-tail.ts';
import { projectVersion } from '../../lib/project-files.ts';
import { eventWaits } from './event-waits.ts';
import { startOperatorEvents } from './operator-events.ts';
import { startWebhookDeliveries, type WebhookDeliveryParts } from './webhook-deliveries.ts';

type EventFlowParts = Omit<WebhookDeliveryParts, 'logTail' | 'forms'>;

export function startEventFlow(configuration: Configuration, parts: EventFlowParts) {
  const logTail = new LogTail({ auditLog: parts.store.auditLog, report: parts.report });
  logTail.start();
  const waits = eventWaits(logTail);
  const forms = formsOf({ source: configuration.PUBLIC_URL?.origin ?? unnamedInstallation, version: projectVersion() });
  const deliveries = startWebhookDeliveries({ ...parts, logTail, forms });
  const operatorEvents = startOperatorEvents(configuration, { ...parts, logTail, forms });
  return {
    deliveries,
    waits,
    onRejectedSession: operatorEvents.onRejectedSession,
    stop: async () => {
      waits.stop();
      await operatorEvents.stop();
      await deliveries.stop();
      logTail.stop();
    },
  };
}
