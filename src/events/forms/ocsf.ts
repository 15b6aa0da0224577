/**
 * Events in the Open Cybersecurity Schema Framework (https://schema.ocsf.io): API Activity for what happens to keys and
 * webhooks, Authentication for rejected session tokens.
 */
import { isIP } from 'node:net';
import type { ActorKind } from '../../domain/audit-entry.ts';
import type { EventData, LatchkeyEvent } from '../../domain/event/event.ts';
import { describe, type EventType, eventActions, eventTypeOf } from '../../domain/event/event-types.ts';
import { subjectOf } from './subject.ts';

const schemaVersion = '1.8.0';
const product = 'Latchkey';

const activityIds = { Create: 1, Update: 3, Delete: 4, Other: 99 } as const;
const severityIds = { Informational: 1, Low: 2, Medium: 3, High: 4 } as const;

interface Classification {
  readonly activity: keyof typeof activityIds;
  /** Medium if the team has to act, High if it has to act at once. Default: Informational. */
  readonly severity?: keyof typeof severityIds;
}

/** `session.rejected` has another class. `Other` is for events that no API call caused, or that change nothing. */
const classifications: Readonly<Record<Exclude<EventType, 'session.rejected'>, Classification>> = {
  'key.created': { activity: 'Create' },
  'key.imported': { activity: 'Create' },
  'key.updated': { activity: 'Update' },
  'key.rotated': { activity: 'Update' },
  'key.disabled': { activity: 'Update' },
  'key.enabled': { activity: 'Update' },
  'key.revoked': { activity: 'Delete' },
  'key.expiring': { activity: 'Other', severity: 'Low' },
  'key.expired': { activity: 'Other', severity: 'Low' },
  'key.unused': { activity: 'Other', severity: 'Low' },
  'key.exposed': { activity: 'Other', severity: 'High' },
  'key.tripped': { activity: 'Other', severity: 'High' },
  'overlap.ending': { activity: 'Other', severity: 'Low' },
  'overlap.ended': { activity: 'Update' },
  'signing.enabled': { activity: 'Update' },
  'signing.rotated': { activity: 'Update' },
  'signing.disabled': { activity: 'Update', severity: 'Low' },
  'webhook.created': { activity: 'Create' },
  'webhook.updated': { activity: 'Update' },
  'webhook.deleted': { activity: 'Delete' },
  'webhook.enabled': { activity: 'Update' },
  'webhook.disabled': { activity: 'Update', severity: 'Medium' },
  'webhook.secret_rotated': { activity: 'Update' },
  'webhook.tested': { activity: 'Other' },
  'events.replayed': { activity: 'Other' },
  'access.key_created': { activity: 'Create', severity: 'Medium' },
  'access.key_rotated': { activity: 'Update' },
  'access.key_revoked': { activity: 'Delete' },
  'access.key_expiring': { activity: 'Other', severity: 'Low' },
  'access.key_exposed': { activity: 'Other', severity: 'High' },
  'access.rule_created': { activity: 'Create', severity: 'Medium' },
  'access.rule_deleted': { activity: 'Delete' },
  'keys.frozen': { activity: 'Update', severity: 'High' },
  'keys.unfrozen': { activity: 'Update', severity: 'Medium' },
  'member.left': { activity: 'Update', severity: 'Low' },
  'policy.changed': { activity: 'Update' },
  'policy.violated': { activity: 'Other', severity: 'Medium' },
  'leak.policy_changed': { activity: 'Update' },
};

const descriptions = new Map(eventActions.map((action) => [eventTypeOf(action), describe(action).description]));

const userTypes: Readonly<Record<ActorKind, { readonly type_id: number; readonly type: string }>> = {
  SESSION: { type_id: 1, type: 'User' },
  OPERATOR: { type_id: 2, type: 'Admin' },
  SYSTEM: { type_id: 3, type: 'System' },
  KEY_HOLDER: { type_id: 4, type: 'Service' },
  MANAGEMENT_KEY: { type_id: 4, type: 'Service' },
  WORKLOAD: { type_id: 4, type: 'Service' },
};

const unknownType = { type_id: 0, type: 'Unknown' };

/** @param version the version of Latchkey */
export function ocsfEvent(event: LatchkeyEvent, version: string): object {
  const { id, type, timestamp, data } = event;
  const common = {
    message: descriptions.get(type),
    metadata: {
      version: schemaVersion,
      product: { name: product, vendor_name: product, version },
      uid: id,
      event_code: type,
      logged_time: Date.parse(timestamp),
      ...(data.teamId !== '' && { tenant_uid: data.teamId }),
    },
    src_endpoint: sourceEndpoint(data),
  };
  return type === 'session.rejected'
    ? { ...authentication(event), ...common }
    : { ...apiActivity(type, event), ...common };
}

function apiActivity(type: keyof typeof classifications, event: LatchkeyEvent): object {
  // An instance of a newer version may have written an unknown type of event.
  const { activity, severity = 'Informational' }: Classification = classifications[type] ?? { activity: 'Other' };
  const { teamId, key, webhook, actor, source, requestId, ...unmapped } = event.data;
  const subject = subjectOf(event);
  const activityId = activityIds[activity];
  return {
    category_uid: 6,
    category_name: 'Application Activity',
    class_uid: 6003,
    class_name: 'API Activity',
    activity_id: activityId,
    // OCSF requires a name from the source for `Other`.
    activity_name: activity === 'Other' ? type : activity,
    type_uid: 600_300 + activityId,
    type_name: `API Activity: ${activity}`,
    time: Date.parse(event.timestamp),
    severity_id: severityIds[severity],
    severity,
    status_id: 1,
    status: 'Success',
    api: { operation: type, service: { name: product }, ...(requestId !== '' && { request: { uid: requestId } }) },
    actor: { user: { name: actor, uid: actor, ...userType(event.data) } },
    ...(subject && {
      resources: [
        {
          type: subject.kind,
          uid: subject.id,
          ...(subject.name !== null && { name: subject.name }),
          ...(key !== null && { data: { env: key.env, prefix: key.prefix } }),
        },
      ],
    }),
    unmapped,
  };
}

/** Rejected session tokens, counted by address and reason. */
function authentication({ data }: LatchkeyEvent): object {
  const from = Date.parse(String(data.from));
  return {
    category_uid: 3,
    category_name: 'Identity & Access Management',
    class_uid: 3002,
    class_name: 'Authentication',
    activity_id: 1,
    activity_name: 'Logon',
    type_uid: 300_201,
    type_name: 'Authentication: Logon',
    time: from,
    start_time: from,
    end_time: Date.parse(String(data.to)),
    count: Number(data.count),
    severity_id: severityIds.Low,
    severity: 'Low',
    status_id: 2,
    status: 'Failure',
    status_detail: String(data.reason),
    auth_protocol_id: 99,
    auth_protocol: 'JWT bearer token',
    service: { name: product },
    // The user in a rejected token is not authenticated.
    user: { name: 'unknown', ...unknownType },
  };
}

function userType({ actorKind }: EventData) {
  return actorKind === null ? unknownType : userTypes[actorKind];
}

/** OCSF requires an endpoint, even without a request or with an unknown address. */
function sourceEndpoint({ source, actorKind }: EventData): object {
  if (source !== null) return isIP(source) === 0 ? { name: source } : { ip: source };
  return actorKind === 'SYSTEM' ? { svc_name: product } : { name: 'unknown' };
}
