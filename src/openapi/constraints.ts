/** What the types of GraphQL can't say: the bounds that the rules of the domain put on a value. */
import { limits } from '../domain/limits.ts';
import { prefixShape, secretShape } from '../domain/secret.ts';
import type { JsonSchema } from './json-schema.ts';

/** GraphQL's scalars, where a caller sends them and where the server answers with them. */
export const scalars: Readonly<Record<string, { readonly input: JsonSchema; readonly output: JsonSchema }>> = {
  String: same({ type: 'string' }),
  ID: same({ type: 'string' }),
  Int: same({ type: 'integer' }),
  Boolean: same({ type: 'boolean' }),
  UUID: same({ type: 'string', format: 'uuid' }),
  DateTime: {
    input: { type: 'string', format: 'date-time' },
    output: { type: 'string', format: 'date-time', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' },
  },
};

/** The whole name counts after trimming, so that no length of the text as it is sent is too long. */
const name: JsonSchema = { type: 'string', pattern: '\\S' };

/** By type and field, or by field and argument. They stand in place of what the GraphQL type says. */
export const constraints: Readonly<Record<string, JsonSchema>> = {
  'CreateKeyInput.name': name,
  'UpdateKeyInput.name': name,
  'UpdateKeyInput.allowedIps': {
    type: 'array',
    maxItems: limits.allowedSources,
    items: { type: 'string', minLength: 1, maxLength: limits.allowedSourceCharacters },
  },
  'ApiKey.name': { type: 'string', minLength: 1, maxLength: limits.nameCharacters },
  'ApiKey.prefix': { type: 'string', pattern: prefixShape.source },
  'CreateKeyPayload.secret': { type: 'string', pattern: secretShape.source },
  'SigningSecretPayload.signingSecret': { type: 'string', pattern: '^[0-9a-f]{64}$' },
  'keys(first)': { type: 'integer', minimum: 1, maximum: limits.pageSize },
};

function same(schema: JsonSchema) {
  return { input: schema, output: schema };
}
