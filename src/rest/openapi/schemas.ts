/** JSON Schema for types of schema.graphql, with what GraphQL can't say: patterns, limits and examples. */
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
} from 'graphql';
import { prefixShape } from '../../domain/key/key-prefix.ts';
import { limits } from '../../domain/limits.ts';
import { maxOverlapSeconds } from '../../domain/secret/rotated-secret.ts';
import { secretShape } from '../../domain/secret/secret-shape.ts';

export type Json = Readonly<Record<string, unknown>>;

type Field = GraphQLField<unknown, unknown> | GraphQLInputField | GraphQLArgument;

export const referTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** A text that is trimmed before it is counted: what JSON Schema can say is that it is not blank. */
const trimmed = { pattern: '\\S' };
const teamId = { examples: ['5a3c7f60-9a52-4b6e-8f0e-1f0a2b3c4d5e'] };
const webhookUrl = { maxLength: limits.webhookUrlCharacters, examples: ['https://example.com/webhooks'] };
const hexSecret = { pattern: '^[0-9a-f]{64}$' };
const newSecret = {
  pattern: secretShape.source,
  examples: ['lk_live_4fJx81Qz_0123456789012345678901234567890123456789012abcdef'],
};
const overlapSeconds = { minimum: 0, maximum: maxOverlapSeconds, examples: [604_800] };
const keyName = { examples: ['CI of the shop'] };

/** Of a field of one type, of an argument, or of the fields of keys that every input of a key has. */
const additions: Readonly<Record<string, Json>> = {
  teamId,
  overlapSeconds,
  'input.name': { ...trimmed, ...keyName },
  'input.description': { ...trimmed, examples: ['Used by the nightly build'] },
  'input.externalId': { ...trimmed, examples: ['customer-42'] },
  'input.reason': { ...trimmed, examples: ['leaked in a log'] },
  'input.metadata': { examples: [{ plan: 'pro' }] },
  'input.tags': { maxItems: limits.tags, items: { type: 'string', ...trimmed }, examples: [['shop']] },
  'input.scopes': {
    maxItems: limits.scopes,
    uniqueItems: true,
    items: {
      type: 'string',
      minLength: 1,
      maxLength: limits.scopeCharacters,
      pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]+$',
    },
    examples: [['orders:read', 'orders:write']],
  },
  'input.allowedIps': {
    maxItems: limits.allowedSources,
    items: { type: 'string', minLength: 1, maxLength: limits.allowedSourceCharacters },
    examples: [['203.0.113.0/24 # the office', 'build.example.com']],
  },
  'CreateKeyInput.expiresAt': { examples: ['2099-01-31T12:00:00.000Z'] },
  'RateLimitInput.limit': { minimum: 1, maximum: limits.rateLimit },
  'RateLimitInput.windowSeconds': { minimum: 1, maximum: limits.rateLimitWindowSeconds },
  'ApiKey.id': { examples: ['0b9f8f0e-5c1a-4c5e-9c53-6f2f4d1a7b10'] },
  'ApiKey.name': { minLength: 1, maxLength: limits.nameCharacters, ...keyName },
  'ApiKey.prefix': { pattern: prefixShape.source, examples: ['lk_live_4fJx81Qz'] },
  'ApiKey.secrets': { minItems: 1, maxItems: 2 },
  'CreateKeyPayload.secret': newSecret,
  'CreateKeyPayload.signingSecret': hexSecret,
  'RotateKeyPayload.secret': newSecret,
  'SigningSecretPayload.signingSecret': hexSecret,
  'Webhook.id': { examples: ['8d3f0c1e-7a52-4f0b-9a6e-2c5d1b7e4f90'] },
  'Webhook.url': webhookUrl,
  'Webhook.types': { examples: [['key.created', 'key.revoked']] },
  'Webhook.description': { maxLength: limits.descriptionCharacters },
  'CreateWebhookInput.url': webhookUrl,
  'CreateWebhookInput.types': { examples: [['key.created', 'key.revoked']] },
  'CreateWebhookInput.description': { minLength: 1, maxLength: limits.descriptionCharacters },
  'UpdateWebhookInput.url': webhookUrl,
  'UpdateWebhookInput.description': { minLength: 1, maxLength: limits.descriptionCharacters },
  'WebhookSecretPayload.secret': { pattern: '^(whsec|whpk)_[A-Za-z0-9+/]{43}=$' },
  'ReplayEventsPayload.count': { minimum: 0, maximum: limits.replayedEvents },
  'Mutation.eventIds': { minItems: 1, maxItems: limits.replayedEvents },
  'Delivery.type': { examples: ['key.created'] },
  'Delivery.attempts': { minimum: 0 },
  'Delivery.durationMs': { minimum: 0 },
  'Event.type': { examples: ['key.created'] },
};

/** Types whose schema has a name of its own. */
const named: Readonly<Record<string, string>> = {
  KeyState: 'KeyState',
  KeySecret: 'KeySecret',
  RateLimit: 'RateLimit',
  RateLimitInput: 'RateLimit',
  Event: 'ListedEvent',
};

/** Inputs that say so where the schema's type, which has to be nullable to be optional, can't. */
const isNeverNull = ({ description }: Field) => /\bNot null\.$/.test(description ?? '');

/** Names of GraphQL in a text, as REST has them. */
export function asInRest(text: string | null | undefined): string {
  return (text ?? '')
    .replaceAll(/`(\w+)Input`/g, '`$1`')
    .replaceAll('`ifRevision`', '`If-Match`')
    .replaceAll(' Not null.', '');
}

export interface Selections {
  readonly with?: Readonly<Record<string, Json>>;
  readonly [type: string]: string | Readonly<Record<string, Json>> | undefined;
}

/** The fields of a type that a list such as `id name?` selects. */
export function objectOf(schema: GraphQLSchema, { with: more = {}, ...selections }: Selections): Json {
  const properties: Record<string, Json> = { ...more };
  const required = Object.keys(more);
  const [typeName = '', ...others] = Object.keys(selections);
  for (const [name, list] of Object.entries(selections as Record<string, string>)) {
    const type = schema.getType(name);
    if (!isObjectType(type) && !isInputObjectType(type)) throw new Error(`${name} is not a type with fields`);
    for (const [field, modifier] of fieldsOf(list, Object.keys(type.getFields()))) {
      const found = type.getFields()[field];
      if (found === undefined) throw new Error(`${name} has no field ${field}`);
      properties[field] = fieldSchema(name, found, isObjectType(type) && modifier === '');
      if (isObjectType(type) ? modifier !== '?' : isRequired(found)) required.push(field);
    }
  }
  const type = schema.getType(typeName);
  const description = others.length === 0 && typeName in named ? { description: type?.description } : {};
  return closed(properties, required, description);
}

/** The arguments of a field, as a body. */
export function argumentsOf(field: GraphQLField<unknown, unknown>, names: readonly string[]): Json {
  const taken = names.map((name) => {
    const argument = field.args.find((one) => one.name === name);
    if (argument === undefined) throw new Error(`${field.name} has no argument ${name}`);
    return argument;
  });
  const properties = Object.fromEntries(taken.map((one) => [one.name, fieldSchema('Mutation', one, false)]));
  return closed(
    properties,
    taken.filter(isRequired).map(({ name }) => name),
  );
}

export function closed(properties: Json, required: readonly string[], more: Json = {}): Json {
  return {
    ...more,
    type: 'object',
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

function fieldsOf(list: string, all: readonly string[]): (readonly [string, string])[] {
  const words = list.split(' ');
  const left = words.filter((word) => word.startsWith('-')).map((word) => word.slice(1));
  if (words[0] === '*') return all.filter((name) => !left.includes(name)).map((name) => [name, '']);
  return words.map((word) => [word.replace(/[?!]$/, ''), /[?!]$/.exec(word)?.[0] ?? '']);
}

const isRequired = ({ type, ...field }: Field) =>
  isNonNullType(type) && Reflect.get(field, 'defaultValue') === undefined;

function fieldSchema(parent: string, field: Field, isOutput: boolean): Json {
  const { type, name, description } = field;
  const isInput = !parent.endsWith('Payload') && (parent.endsWith('Input') || parent === 'Mutation');
  const mayBeNull = !isNonNullType(type) && (isInput ? !isNeverNull(field) : isOutput);
  const bare = schemaOf(isNonNullType(type) ? type.ofType : type, !isInput);
  const more = additions[`${parent}.${name}`] ?? additions[isInput ? `input.${name}` : name] ?? additions[name];
  const defaultValue = isInput ? Reflect.get(field, 'defaultValue') : undefined;
  const schema = {
    ...(mayBeNull ? orNull(bare) : bare),
    ...more,
    ...(defaultValue === undefined ? {} : { default: defaultValue }),
  };
  // A schema with a name has its description there.
  return '$ref' in schema
    ? schema
    : { ...schema, description: asInRest([description, ...meaningOf(type, isInput)].join(' ')) };
}

/** What the text of a type adds to that of a field: the values of an enum that has no schema of its own, and the rule for JSON. */
function* meaningOf(type: GraphQLType, isInput: boolean): Generator<string> {
  const inner = getNamedType(type);
  if (isEnumType(inner) && named[inner.name] === undefined) {
    for (const { name, description } of inner.getValues()) yield `\`${name}\`: ${description}`;
  }
  if (inner.name === 'JSON' && isInput) yield inner.description?.replace(/^.*?\. /, '') ?? '';
}

function schemaOf(type: GraphQLType, isOutput: boolean): Json {
  if (isNonNullType(type)) return schemaOf(type.ofType, isOutput);
  if (isListType(type)) return { type: 'array', items: schemaOf(type.ofType, isOutput) };
  const name = named[type.name];
  if (name !== undefined) return referTo(name);
  if (isEnumType(type)) return { type: 'string', enum: type.getValues().map((value) => value.name) };
  if (!isScalarType(type)) throw new Error(`${type.name} has no schema in texts.yaml`);
  switch (type.name) {
    case 'UUID':
      return { type: 'string', format: 'uuid' };
    case 'DateTime':
      // Of an answer; a caller can leave the milliseconds out.
      return {
        type: 'string',
        format: 'date-time',
        ...(isOutput ? { pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' } : {}),
      };
    case 'JSON':
      return { type: 'object', additionalProperties: true };
    case 'Int':
      return { type: 'integer' };
    case 'Boolean':
      return { type: 'boolean' };
    default:
      return { type: 'string' };
  }
}

function orNull(schema: Json): Json {
  if ('$ref' in schema) return { oneOf: [schema, { type: 'null' }] };
  const values = Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {};
  return { ...schema, type: [schema.type, 'null'], ...values };
}
