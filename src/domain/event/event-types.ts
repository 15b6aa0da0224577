/**
 * What can happen, each described once: the actions of the audit trail and, under a name of their own, the types of events
 * that subscribers get. A new one is an entry here and a value of `AuditAction` in schema.graphql. Runs in a browser too.
 */
import { keyEnvs } from '../key/key-env.ts';

/** The subset of JSON Schema (2020-12) in which details are described. */
export interface DetailSchema {
  readonly type: 'object' | 'string' | 'integer' | readonly ['string', 'null'];
  readonly format?: 'date-time' | 'uuid' | 'uri';
  readonly enum?: readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, DetailSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false;
}

interface ActionDescription {
  readonly description: string;
  /** The members that `data` has besides those of every event. All are required. */
  readonly details?: Readonly<Record<string, DetailSchema>>;
  /** `operator`: no team can see it. Default: the team whose key or webhook it is about. */
  readonly audience?: 'operator';
}

const moment = (description: string): DetailSchema => ({ type: 'string', format: 'date-time', description });

function object(description: string, properties: Readonly<Record<string, DetailSchema>>): DetailSchema {
  return { type: 'object', description, properties, required: Object.keys(properties), additionalProperties: false };
}

const webhook = object('The endpoint.', {
  id: { type: 'string', format: 'uuid', description: 'Identifies the endpoint.' },
  origin: {
    type: 'string',
    format: 'uri',
    description: 'The origin of its URL at the time of the event. The rest is left out, because it is often a secret.',
  },
});

const leak = object('What was reported.', {
  source: { type: ['string', 'null'], description: 'Where it was found, in the words of the reporter.' },
  url: { type: ['string', 'null'], description: 'The URL that the reporter gave.' },
  action: { type: 'string', enum: ['NOTIFY', 'DISABLE', 'REVOKE'], description: 'What was done with the key.' },
});

const managementKey = object('The management key.', {
  id: { type: 'string', format: 'uuid', description: 'Identifies the management key.' },
  name: { type: 'string', description: 'Its name.' },
  prefix: { type: 'string', description: 'The leading part of its secret.' },
});

const trustRule = object('The trust rule.', {
  id: { type: 'string', format: 'uuid', description: 'Identifies the trust rule.' },
  name: { type: 'string', description: 'Its name.' },
  issuer: { type: 'string', description: 'The issuer whose tokens it accepts.' },
});

const fence = object('The fence.', {
  id: { type: 'string', format: 'uuid', description: 'Identifies the fence.' },
  reason: { type: 'string', description: 'Why the keys are frozen.' },
});

const env: DetailSchema = { type: 'string', enum: keyEnvs, description: 'The environment.' };

const expiryNotice = {
  expiresAt: moment('When the key expires.'),
  days: { type: 'integer', description: 'How many days before the expiry this event is due.' },
} as const satisfies Readonly<Record<string, DetailSchema>>;

export const actions = {
  KEY_CREATED: { description: 'A key was created.' },
  KEY_IMPORTED: { description: 'A key was imported.' },
  KEY_UPDATED: { description: 'Settings of a key were changed.' },
  KEY_ROTATED: { description: 'The secret of a key was replaced.' },
  KEY_DISABLED: { description: 'A key was disabled.' },
  KEY_ENABLED: { description: 'A disabled key was enabled.' },
  KEY_REVOKED: { description: 'A key was revoked.' },
  KEY_EXPIRING: {
    description: 'A key expires soon. Sent 30, 7 and 1 days before, unless the operator has chosen other days.',
    details: expiryNotice,
  },
  KEY_EXPIRED: { description: 'A key has expired.', details: { expiresAt: moment('When the key expired.') } },
  KEY_UNUSED: {
    description: 'A key was not used for 90 days, unless the operator has chosen another number.',
    details: {
      lastUsedAt: { type: ['string', 'null'], format: 'date-time', description: 'Null if the key was never used.' },
      days: { type: 'integer', description: 'The number of days without use.' },
    },
  },
  KEY_EXPOSED: {
    description: 'A secret of a key was found where it must not be, such as a public repository.',
    details: { leak },
  },
  KEY_TRIPPED: {
    description: 'A tripwire was presented from `source`: somebody has found it. At most one event a minute.',
  },
  OVERLAP_ENDING: {
    description: 'A previous secret of a key stops working soon. Sent 24 hours and 1 hour before.',
    details: {
      secret: { type: 'string', enum: ['key', 'signing'], description: 'Whether it is the key or a signing secret.' },
      endsAt: moment('Until when the previous secret is accepted.'),
    },
  },
  OVERLAP_ENDED: { description: 'The overlap of a rotation was ended: only the current secret is accepted.' },
  SIGNING_ENABLED: { description: 'Requests with a key must be signed from now on.' },
  SIGNING_ROTATED: { description: 'The signing secret of a key was replaced.' },
  SIGNING_DISABLED: { description: 'Requests with a key need no signature anymore.' },
  WEBHOOK_CREATED: { description: 'An endpoint was added.', details: { webhook } },
  WEBHOOK_UPDATED: { description: 'An endpoint was changed.', details: { webhook } },
  WEBHOOK_DELETED: { description: 'An endpoint was removed.', details: { webhook } },
  WEBHOOK_ENABLED: { description: 'A disabled endpoint was enabled.', details: { webhook } },
  WEBHOOK_DISABLED: {
    description: 'An endpoint was disabled: by a person, because it answered 410, or after the last retry of an event.',
    details: {
      webhook,
      reason: {
        type: 'string',
        enum: ['MANUAL', 'GONE', 'FAILING'],
        description: 'Why: a person, 410, or the last retry.',
      },
    },
  },
  WEBHOOK_SECRET_ROTATED: { description: 'The secret of an endpoint was replaced.', details: { webhook } },
  WEBHOOK_TESTED: { description: 'A test event. Only the tested endpoint gets it.', details: { webhook } },
  EVENTS_REPLAYED: { description: 'Events were sent to an endpoint again, on request.', details: { webhook } },
  ACCESS_KEY_CREATED: { description: 'A management key was made.', details: { managementKey } },
  ACCESS_KEY_ROTATED: { description: 'The secret of a management key was replaced.', details: { managementKey } },
  ACCESS_KEY_REVOKED: { description: 'A management key was revoked.', details: { managementKey } },
  ACCESS_KEY_EXPIRING: {
    description: 'A management key expires soon. Sent as long before as `key.expiring` is.',
    details: { managementKey, ...expiryNotice },
  },
  ACCESS_KEY_EXPOSED: {
    description: 'The secret of a management key was found where it must not be, such as a public repository.',
    details: { managementKey, leak },
  },
  ACCESS_RULE_CREATED: { description: 'A trust rule was made.', details: { trustRule } },
  ACCESS_RULE_DELETED: { description: 'A trust rule was removed.', details: { trustRule } },
  KEYS_FROZEN: { description: 'Keys were frozen: a fence was put up.', details: { fence } },
  KEYS_UNFROZEN: { description: 'A fence was lifted, or has ended.', details: { fence } },
  MEMBER_LEFT: {
    description: 'A person no longer has access to the team. Keys of the person keep working: see who takes them over.',
    details: {
      member: object('The person.', {
        subject: { type: 'string', description: 'The subject of the sessions, as keys have it in `responsible`.' },
      }),
    },
  },
  POLICY_CHANGED: {
    description: 'What the team demands of its keys in an environment was changed.',
    details: { env },
  },
  POLICY_VIOLATED: {
    description:
      'Active keys violate a policy, or, with `enforceAfter`, management keys live too long for it: when it was changed, and 7 days and 1 day before `enforceAfter`.',
    details: {
      env,
      keys: { type: 'integer', description: 'How many: at most 10,000 are counted.' },
      managementKeys: {
        type: 'integer',
        description: 'How many management keys are revoked at `enforceAfter`, if they are not rotated before.',
      },
      enforceAfter: {
        type: ['string', 'null'],
        format: 'date-time',
        description: 'When they are disabled; null: never.',
      },
    },
  },
  LEAK_POLICY_CHANGED: {
    description: 'The team has chosen what happens to a leaked key.',
    details: {
      policy: { type: 'string', enum: ['NOTIFY', 'DISABLE', 'REVOKE'], description: 'What happens to a leaked key.' },
    },
  },
  SESSION_REJECTED: {
    description: 'Session tokens were rejected. Written only if the operator has turned it on.',
    details: {
      reason: { type: 'string', description: 'Why, as the caller was told.' },
      count: { type: 'integer', description: 'How many, from the same address for the same reason.' },
      from: moment('The first of them.'),
      to: moment('The last of them.'),
    },
    audience: 'operator',
  },
} as const satisfies Readonly<Record<string, ActionDescription>>;

export type EventAction = keyof typeof actions;

type TypeOf<Action extends string> = Action extends `${infer Subject}_${infer Rest}`
  ? `${Lowercase<Subject>}.${Lowercase<Rest>}`
  : never;

/** The name of an event, such as `key.created`. */
export type EventType = TypeOf<EventAction>;

export const eventActions = Object.keys(actions) as readonly EventAction[];

export function eventTypeOf(action: EventAction): EventType {
  return action.toLowerCase().replace('_', '.') as EventType;
}

/** Whether it happens to a key, and not to a webhook or a team. */
export function isAboutKey(action: string): boolean {
  return /^(?:KEY|SIGNING|OVERLAP)_/.test(action);
}

/** What teams can see. */
export type TeamAction = Exclude<EventAction, 'SESSION_REJECTED'>;

/** Also false for an action of a newer version, of which an instance may have written an entry. */
export function isTeamAction(action: string): action is TeamAction {
  return Object.hasOwn(actions, action) && describe(action as EventAction).audience !== 'operator';
}

export function describe(action: EventAction): ActionDescription {
  return actions[action];
}

/** The types that an endpoint can subscribe to. A test event is only for the tested endpoint. */
export const eventTypes: readonly EventType[] = eventActions
  .filter((action) => isTeamAction(action) && action !== 'WEBHOOK_TESTED')
  .map(eventTypeOf);

export function isEventType(text: string): text is EventType {
  return (eventTypes as readonly string[]).includes(text);
}
