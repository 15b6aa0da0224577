/** Constructs what writes and sends events without a request: events about times, and the subscription of the operator. */
import type { Configuration } from '../../config/configuration.ts';
import type { OpaqueRevisions } from '../../domain/opaque-revisions.ts';
import type { EventForm } from '../../domain/webhook/webhook.ts';
import { startTimeEvents } from '../../events/clock/time-events.ts';
import type { EventForms } from '../../events/forms/forms.ts';
import type { LogTail } from '../../events/log-tail.ts';
import { EventsReceiver, type EventsReceiverOptions } from '../../events/operator/events-receiver.ts';
import { OperatorSubscription } from '../../events/operator/operator-subscription.ts';
import { RejectedSessions } from '../../events/operator/rejected-sessions.ts';
import { systemScheduler } from '../../lib/scheduler.ts';
import type { Store } from '../../store/store.ts';
import type { Report } from '../processes/throttled-report.ts';

export interface OperatorEventsParts {
  readonly store: Store;
  readonly revisions: OpaqueRevisions;
  readonly logTail: Pick<LogTail, 'subscribe'>;
  readonly forms: EventForms;
  readonly report: Report;
}

const now = () => new Date();

export function startOperatorEvents(configuration: Configuration, parts: OperatorEventsParts) {
  const { store, report } = parts;
  const timeEvents = startTimeEvents({
    store,
    expiryNoticeDays: configuration.EXPIRY_NOTICE_DAYS,
    unusedNoticeDays: configuration.UNUSED_NOTICE_DAYS,
    scheduler: systemScheduler,
    now,
    report,
  });
  const { EVENTS_URL: url, EVENTS_TOKEN: token, EVENTS_REJECTED_SESSIONS } = configuration;
  const subscription = url === undefined ? null : startSubscription(configuration, { url, token }, parts);
  const rejected =
    url !== undefined && EVENTS_REJECTED_SESSIONS
      ? new RejectedSessions({ store, scheduler: systemScheduler, now, report })
      : null;
  return {
    onRejectedSession: rejected?.add,
    stop: async () => {
      await rejected?.close();
      await subscription?.stop();
      await timeEvents.stop();
    },
  };
}

function startSubscription(
  { EVENTS_FORM }: Configuration,
  destination: EventsReceiverOptions,
  { logTail: tail, forms, ...parts }: OperatorEventsParts,
) {
  // The names of forms in the environment are those of the API, in lower case.
  const form = forms[EVENTS_FORM.toUpperCase() as EventForm];
  const receiver = new EventsReceiver(destination);
  const scheduler = systemScheduler;
  const subscription = new OperatorSubscription({ ...parts, form, receiver, tail, scheduler, random: Math.random });
  subscription.start();
  return {
    stop: async () => {
      await subscription.stop();
      receiver.close();
    },
  };
}
