/** JSON Schema for types of schema.graphql, with what GraphQL can't say: patterns, limits and examples. */
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLNamedType,
  type GraphQLType,
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
  isScalarType,
} from 'graphql';
import { prefixShape } from '../../domain/key/key-prefix.ts';
import { limits } from '../../domain/limits.ts';
import { maxOverlapSeconds } from '../../domain/secret/rotated-secret.ts';
import { managementShape, prefixPattern, secretShape } from '../../domain/secret/secret-shape.ts';

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
const managementPrefix = `^${prefixPattern('management')}$`;
const managementSecret = {
  pattern: managementShape.source,
  examples: ['lk_mgmt_4fJx81Qz_0123456789012345678901234567890123456789012abcdef'],
};
const overlapSeconds = { minimum: 0, maximum: maxOverlapSeconds, examples: [604_800] };
const policySeconds = { minimum: limits.minPolicySeconds, maximum: limits.maxPolicySeconds, examples: [7_776_000] };
const keyName = { examples: ['CI of the shop'] };

/** Of a field of one type, of an argument, or of the fields of keys that every input of a key has. */
const additions: Readonly<Record<string, Json>> = {
  teamId,
  overlapSeconds,
  'input.name': { ...trimmed, ...keyName },
  'input.description': { ...trimmed, examples: ['Used by the nightly build'] },
  'input.externalId': { ...trimmed, examples: ['customer-42'] },
  'input.responsible': { ...trimmed, examples: ['ada@example.com'] },
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
  'SetKeyPolicyInput.maxLifetimeSeconds': policySeconds,
  'SetKeyPolicyInput.maxSecretAgeSeconds': policySeconds,
  'KeyDefaultsInput.lifetimeSeconds': policySeconds,
  'SetKeyPolicyInput.scopes': { maxItems: limits.permittedScopes },
  'PermittedScopeInput.name': { minLength: 1, maxLength: limits.scopeCharacters, examples: ['orders:read'] },
  'PermittedScopeInput.description': { maxLength: limits.scopeDescriptionCharacters, examples: ['Read orders'] },
  'ApiKey.id': { examples: ['0b9f8f0e-5c1a-4c5e-9c53-6f2f4d1a7b10'] },
  'ApiKey.name': { minLength: 1, maxLength: limits.nameCharacters, ...keyName },
  'ApiKey.prefix': { pattern: prefixShape.source, examples: ['lk_live_4fJx81Qz'] },
  'ApiKey.secrets': { minItems: 1, maxItems: 2 },
  'CreateKeyPayload.secret': newSecret,
  'CreateKeyPayload.signingSecret': hexSecret,
  'RotateKeyPayload.secret': newSecret,
  'SigningSecretPayload.signingSecret': hexSecret,
  'PutKeyInput.digest': { examples: [`sha256:${'0'.repeat(63)}1`] },
  'PutKeyInput.prefix': { pattern: `^${prefixPattern('client')}$`, examples: ['lk_live_c_4fJx81Qz'] },
  'PutKeyPayload.secret': newSecret,
  'CreateManagementKeyInput.permissions': { minItems: 1, uniqueItems: true, examples: [['view_team', 'manage_keys']] },
  'CreateManagementKeyInput.expiresAt': { examples: ['2099-01-31T12:00:00.000Z'] },
  'CreateManagementKeyPayload.secret': managementSecret,
  'CreateManagementKeyPayload.signingSecret': hexSecret,
  'RotateManagementKeyPayload.secret': managementSecret,
  'ManagementKey.id': { examples: ['2f6c1b7e-4a3d-4c9b-8d52-7e1f9a0c3b64'] },
  'ManagementKey.prefix': { pattern: managementPrefix, examples: ['lk_mgmt_4fJx81Qz'] },
  'FreezeKeysInput.createdBefore': { examples: ['2099-01-31T12:00:00.000Z'] },
  'FreezeKeysInput.until': { examples: ['2099-01-31T12:00:00.000Z'] },
  'FreezeKeysPayload.keys': { minimum: 0 },
  'FreezeKeysPayload.calls': { minimum: 0 },
  'Fence.id': { examples: ['6c1e2f3a-8b4d-4f5a-9c7e-1d2b3a4c5e6f'] },
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
  ApiKey: 'Key',
  Delivery: 'Delivery',
  Event: 'ListedEvent',
  KeySecret: 'KeySecret',
  KeyState: 'KeyState',
  RateLimit: 'RateLimit',
  RateLimitInput: 'RateLimit',
  ManagementKey: 'ManagementKey',
  TrustRule: 'TrustRule',
  Fence: 'Fence',
  KeyPolicy: 'Policy',
  PolicyRules: 'PolicyRules',
  KeyDefaults: 'KeyDefaults',
  KeyDefaultsInput: 'KeyDefaults',
  PermittedScope: 'PermittedScope',
  PermittedScopeInput: 'PermittedScope',
  Webhook: 'Webhook',
};

export function nameOf({ name }: GraphQLNamedType): string {
  const own = named[name];
  if (own === undefined) throw new Error(`src/rest/openapi/schemas.ts has no name for the schema of ${name}`);
  return own;
}

/** Inputs that say so where the schema's type, which has to be nullable to be optional, can't. */
const isNeverNull = ({ description }: Field) => /\bNot null\.$/.test(description ?? '');

/** Names of GraphQL in a text, as REST has them. */
export function asInRest(text: string | null | undefined): string {
  return (text ?? '')
    .replaceAll(/`(\w+)Input`/g, '`$1`')
    .replaceAll('`ifRevision`', '`If-Match`')
    .replaceAll(' Not null.', '');
}

/** @param without the names of fields that are elsewhere in the request */
export function inputObject(type: GraphQLInputObjectType, without: readonly string[] = []): Json {
  return inputs(
    type.name,
    Object.values(type.getFields()).filter(({ name }) => !without.includes(name)),
  );
}

/** Arguments of a field of Mutation, as a body. */
export function argumentsOf(field: GraphQLField<unknown, unknown>, names: readonly string[]): Json {
  const taken = names.map((name) => {
    const argument = field.args.find((one) => one.name === name);
    if (argument === undefined) throw new Error(`${field.name} has no argument ${name}`);
    return argument;
  });
  return inputs('Mutation', taken);
}

function inputs(parent: string, fields: readonly (GraphQLInputField | GraphQLArgument)[]): Json {
  const properties = fields.map((field) => {
    const mayBeNull = !isNonNullType(field.type) && !isNeverNull(field);
    return [field.name, fieldSchema(parent, field, { isInput: true, mayBeNull })] as const;
  });
  const isRequired = ({ type, defaultValue }: GraphQLInputField | GraphQLArgument) =>
    isNonNullType(type) && defaultValue === undefined;
  return closed(
    Object.fromEntries(properties),
    fields.filter(isRequired).map(({ name }) => name),
  );
}

export function outputSchema(parent: string, field: GraphQLField<unknown, unknown>, isNeverNull: boolean): Json {
  return fieldSchema(parent, field, { isInput: false, mayBeNull: !isNonNullType(field.type) && !isNeverNull });
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

function fieldSchema(
  parent: string,
  field: Field,
  { isInput, mayBeNull }: { readonly isInput: boolean; readonly mayBeNull: boolean },
): Json {
  const { type, name, description } = field;
  const bare = schemaOf(getNullableType(type), !isInput);
  const more = additions[`${parent}.${name}`] ?? additions[isInput ? `input.${name}` : name] ?? additions[name];
  const defaultValue = 'defaultValue' in field ? field.defaultValue : undefined;
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
