import { badInput } from '../../domain/errors.ts';
import { revisionOfEvent } from '../../domain/event/event.ts';
import { eventTypeOf, isEventType } from '../../domain/event/event-types.ts';
import { limits } from '../../domain/limits.ts';
import { parseMoment } from '../../domain/moment.ts';
import { parsedList, parseFields, parseOptional } from '../../domain/parse-fields.ts';
import { type Webhook, wants } from '../../domain/webhook/webhook.ts';
import { accepted, rejected } from '../../lib/parsed.ts';
import { Decision } from '../../store/changes/change.ts';
import { type EntryHead, maxScannedEntries } from '../../store/rows/audit-log.ts';
import { type DeliveredEvent, replayDeliveries, replayedRows } from '../../store/rows/deliveries.ts';
import type { Caller, Management } from '../management.ts';
import { authorizeWebhook, changeWebhook, webhookEntry } from './change-webhook.ts';

export interface ReplayEventsInput {
  readonly webhookId: string;
  readonly eventIds?: readonly string[] | null | undefined;
  readonly from?: Date | null | undefined;
  readonly to?: Date | null | undefined;
  readonly failed?: boolean | undefined;
}

/** More than the clocks of instances differ. */
const clockToleranceMs = 60_000;
const unknownEvent = 'must be the id of an event of this team and of the types of the endpoint';

/**
 * Sends events to an endpoint again, with the same ids: single ones, those of a time range, or those that failed. Returns
 * how many. Needs `manage_webhooks` on its team.
 * Throws WEBHOOK_NOT_FOUND, FORBIDDEN, BAD_USER_INPUT (webhookId, eventIds, from, to, failed), RATE_LIMITED, UNAVAILABLE.
 */
export async function replayEvents(management: Management, caller: Caller, input: ReplayEventsInput): Promise<number> {
  const { store } = management;
  const webhook = authorizeWebhook(caller, await store.webhooks.find(input.webhookId));
  const selection = parse(input);
  rejectDisabled(webhook);
  management.budget.check(webhook.teamId);
  const { events, pending } = await select(management, webhook, selection);
  if (events.length === 0) return 0;
  await rejectTooMany(management, webhook, events.length - pending);
  const delivered = events.map(deliveredEvent);
  const decide = (current: Webhook): Decision<number> => {
    rejectDisabled(current);
    return new Decision(events.length, {
      entries: [webhookEntry(caller, 'EVENTS_REPLAYED', current, current)],
      rows: [replayDeliveries(current, delivered, caller.now)],
    });
  };
  const stored = replayedRows(webhook, delivered, caller.now).map((row) => ({
    ...row,
    revision: `${row.revision}`,
  }));
  return await changeWebhook(management, caller, webhook.id, decide, { stored });
}

/** Pending deliveries are kept longer than others, so the budget alone would not limit them. */
async function rejectTooMany({ store }: Management, { id }: Webhook, count: number): Promise<void> {
  const pending = await store.deliveries.countPending(id, limits.pendingDeliveries);
  if (pending + count <= limits.pendingDeliveries) return;
  const message = `must have at most ${limits.pendingDeliveries} pending deliveries: wait until more are delivered`;
  throw badInput([{ field: 'webhookId', message }]);
}

function rejectDisabled({ disabledAt }: Webhook): void {
  if (disabledAt !== null) throw badInput([{ field: 'webhookId', message: 'must be enabled: enable it first' }]);
}

function parse({ eventIds, from, to, failed = false }: ReplayEventsInput) {
  const hasIds = eventIds != null;
  const absent = () => rejected(`must be absent if there are ${hasIds ? 'eventIds' : 'those that failed'}`);
  const isOther = hasIds || failed;
  return parseFields({
    failed: hasIds && failed ? rejected('must be false if there are eventIds') : accepted(failed),
    eventIds:
      !isOther && from == null
        ? rejected('is required, or from, or failed')
        : parseOptional(eventIds, (ids) =>
            ids.length === 0
              ? rejected('must have at least one id')
              : parsedList([...new Set(ids)], limits.replayedEvents, accepted<string>),
          ),
    from: parseOptional(from, isOther ? absent : parseMoment),
    to: parseOptional(to, isOther ? absent : parseMoment),
  });
}

/** Returns the events to send again, and how many of them are pending as they are. */
async function select(
  management: Management,
  webhook: Webhook,
  { eventIds, from, to, failed }: ReturnType<typeof parse>,
) {
  if (failed) return await thoseThatFailed(management, webhook);
  const events =
    eventIds === null ? await inRange(management, webhook, from, to) : await withIds(management, webhook, eventIds);
  return { events, pending: 0 };
}

/** An event that has been purged from the log can't be sent. */
async function thoseThatFailed({ store }: Management, webhook: Webhook) {
  const failed = await store.failedDeliveries.list(webhook.id, limits.replayedEvents);
  const isPending = new Map(failed.map(({ revision, isPending }) => [revision, isPending]));
  const selection = { teamId: webhook.teamId, revisions: [...isPending.keys()], oldestFirst: true };
  const found = await store.auditLog.heads({ ...selection, limit: failed.length });
  const events = found.filter((event) => isFor(webhook, event));
  return { events, pending: events.filter(({ revision }) => isPending.get(revision) === true).length };
}

/** Another team's event is as unknown as one that does not exist, or no longer. */
async function withIds(management: Management, webhook: Webhook, ids: readonly string[]) {
  const wanted = ids.map((id) => revisionOfEvent(id, management.revisions));
  const revisions = wanted.filter((revision) => revision !== null);
  const selection = { teamId: webhook.teamId, revisions, oldestFirst: true, limit: revisions.length };
  const found = await management.store.auditLog.heads(selection);
  const known = new Set(found.filter((event) => isFor(webhook, event)).map(({ revision }) => revision));
  parseFields({
    eventIds: parsedList(wanted, limits.replayedEvents, (revision) =>
      revision !== null && known.has(revision) ? accepted(revision) : rejected(unknownEvent),
    ),
  });
  return found;
}

/** Reads at most the part of the log that one operation may read. */
async function inRange(
  { store: { auditLog } }: Management,
  webhook: Webhook,
  from: Date | null,
  to: Date | null,
): Promise<readonly EntryHead[]> {
  if (from === null) return [];
  const { teamId } = webhook;
  const after = await auditLog.revisionBefore(teamId, new Date(from.getTime() - clockToleranceMs));
  const end = to === null ? null : await auditLog.revisionBefore(teamId, new Date(to.getTime() + clockToleranceMs));
  const lastToScan = await auditLog.lastToScan({ teamId, oldestFirst: true, after });
  const isTooLong = lastToScan !== null && (end === null || lastToScan < end);
  const range = { teamId, oldestFirst: true, after, last: end, from, to, limit: maxScannedEntries };
  const events = isTooLong ? [] : await auditLog.heads(range);
  const wanted = events.filter((event) => isFor(webhook, event));
  if (isTooLong || wanted.length > limits.replayedEvents) {
    const message = `must be later: the range has more than ${limits.replayedEvents} events, or too many of other types`;
    throw badInput([{ field: 'from', message }]);
  }
  return wanted;
}

function isFor(webhook: Webhook, { action }: EntryHead): boolean {
  const type = eventTypeOf(action);
  return isEventType(type) && wants(webhook, type);
}

function deliveredEvent({ revision, action, keyId }: EntryHead): DeliveredEvent {
  return { revision, type: eventTypeOf(action), keyId };
}
