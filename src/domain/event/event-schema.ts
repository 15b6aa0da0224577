import { actorKinds } from '../audit-entry.ts';
import { describe, type EventAction, eventActions, eventTypeOf, isTeamAction } from './event-types.ts';

const nullable = (type: string) => ({ type: [type, 'null'] });
const value = {
  description: 'Any JSON value but an object. An array has texts.',
  type: ['string', 'number', 'boolean', 'array', 'null'],
  items: { type: 'string' },
};

const change = {
  type: 'object',
  description: 'A changed field, as in the audit trail.',
  properties: {
    field: { type: 'string', description: 'The name of the field.' },
    before: value,
    after: value,
    added: { type: 'array', items: { type: 'string' }, description: 'Of a list, the entries that are new.' },
    removed: { type: 'array', items: { type: 'string' }, description: 'Of a list, the entries that were removed.' },
    omitted: { const: true, description: 'The values are too long for an event. Read the audit trail.' },
  },
  required: ['field'],
  additionalProperties: false,
};

const key = {
  description:
    'The key that the event is about, as it is now; null if there is none. Of a purged key, only the id is known.',
  type: ['object', 'null'],
  properties: {
    id: { type: 'string', format: 'uuid', description: 'Identifies the key.' },
    name: { ...nullable('string'), description: 'Its name.' },
    env: {
      ...nullable('string'),
      enum: ['live', 'test', null],
      description: 'The environment that it is restricted to.',
    },
    prefix: { ...nullable('string'), description: 'The beginning of its secret, which is not secret.' },
    responsible: { ...nullable('string'), description: 'The person or team to ask about it, if it is known.' },
  },
  required: ['id', 'name', 'env', 'prefix', 'responsible'],
  additionalProperties: false,
};

const commonData = {
  teamId: { type: 'string', description: 'The team; empty for events of the operator.' },
  key,
  actor: { type: 'string', description: 'Who did it, as in the audit trail.' },
  actorKind: {
    ...nullable('string'),
    enum: [...actorKinds, null],
    description: 'The kind of actor: SYSTEM is Latchkey itself. Null for changes that old versions made.',
  },
  source: { ...nullable('string'), description: 'The address of the caller, if it is known.' },
  requestId: {
    type: 'string',
    description: 'The id of the request, as in the log of the server; empty if there was none.',
  },
  changes: { type: 'array', items: change, description: 'The fields that were changed.' },
};

/** Returns the JSON Schema (2020-12) of the events of one type. Members are only ever added. */
export function eventSchema(action: EventAction) {
  const { description, details = {} } = describe(action);
  return {
    type: 'object',
    description,
    properties: {
      id: { type: 'string', pattern: '^evt_[A-Za-z0-9_-]{22}$', description: 'The same in every attempt.' },
      type: { const: eventTypeOf(action), description: 'What happened.' },
      timestamp: {
        type: 'string',
        format: 'date-time',
        description: 'When it happened. It is not the order of events.',
      },
      data: {
        type: 'object',
        description: 'What it happened to, who did it, and the details of this type.',
        properties: { ...commonData, ...details },
        required: [...Object.keys(commonData), ...Object.keys(details)],
        additionalProperties: false,
      },
    },
    required: ['id', 'type', 'timestamp', 'data'],
    additionalProperties: false,
  };
}

/** The actions of events that teams get. */
export const teamActions = eventActions.filter(isTeamAction);
