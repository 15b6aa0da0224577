import { eventSchema, teamActions } from '../../domain/event/event-schema.ts';
import { type EventType, eventTypeOf } from '../../domain/event/event-types.ts';

/** Returns the `webhooks` of the OpenAPI description: the request that an endpoint gets for each type of event. */
export function eventWebhooks(): Readonly<Record<string, object>> {
  return Object.fromEntries(teamActions.map((action) => [eventTypeOf(action), { post: operation(action) }]));
}

function operation(action: (typeof teamActions)[number]): object {
  const { description, ...schema } = eventSchema(action);
  return {
    operationId: operationIdOf(eventTypeOf(action)),
    tags: ['Events'],
    summary: description,
    // By its signature, and by no credentials.
    security: [],
    parameters: ['WebhookId', 'WebhookTimestamp', 'WebhookSignature'].map((name) => ({
      $ref: `#/components/parameters/${name}`,
    })),
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: {
      '2XX': { $ref: '#/components/responses/EventReceived' },
      '410': { $ref: '#/components/responses/EndpointGone' },
      default: { $ref: '#/components/responses/EventNotReceived' },
    },
  };
}

/** Such as `webhookSecretRotated`. */
function operationIdOf(type: EventType): string {
  return type.replaceAll(/[._](\w)/g, (_, letter: string) => letter.toUpperCase());
}
