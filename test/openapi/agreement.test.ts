/** What openapi.yaml repeats of the code is what the code says. */
import { buildSchema, isEnumType, isInputObjectType, isObjectType, isRequiredInputField } from 'graphql';
import { describe, expect, it, test } from 'vitest';
import { type ErrorCode, errorTable } from '../../src/domain/errors.ts';
import { prefixShape } from '../../src/domain/key/key-prefix.ts';
import { limits } from '../../src/domain/limits.ts';
import { maxOverlapSeconds } from '../../src/domain/secret/rotated-secret.ts';
import { secretShape } from '../../src/domain/secret/secret-shape.ts';
import { verdictCodes } from '../../src/domain/verdict/verdict-code.ts';
import { typeDefs } from '../../src/graphql/type-defs.ts';
import { description } from '../support/openapi-contract.ts';

interface Schema {
  readonly enum?: readonly string[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const schemas: Readonly<Record<string, Schema>> = description.components.schemas;
const properties = (name: string) => schemas[name]?.properties ?? {};
const operations = Object.values(description.paths).flatMap(({ servers, ...item }) => Object.values(item));

test('lists every code of an error, and every verdict in its order', () => {
  expect(schemas.ErrorCode?.enum).toEqual(Object.keys(errorTable));
  expect(schemas.VerdictCode?.enum).toEqual(verdictCodes);
});

test('lists every state of a key', () => {
  const type = buildSchema(typeDefs).getType('KeyState');
  expect(schemas.KeyState?.enum).toEqual(isEnumType(type) && type.getValues().map(({ name }) => name));
});

test('states the limits and the patterns of the code', () => {
  expect(properties('UpdateKey').allowedIps).toMatchObject({
    maxItems: limits.allowedSources,
    items: { maxLength: limits.allowedSourceCharacters },
  });
  for (const name of ['CreateKey', 'UpdateKey']) {
    expect(properties(name).scopes).toMatchObject({
      maxItems: limits.scopes,
      items: { maxLength: limits.scopeCharacters },
    });
    expect(properties(name).tags).toMatchObject({ maxItems: limits.tags });
  }
  expect(properties('RateLimit')).toMatchObject({
    limit: { maximum: limits.rateLimit },
    windowSeconds: { maximum: limits.rateLimitWindowSeconds },
  });
  for (const name of ['RotateKey', 'RotateSigningSecret'])
    expect(properties(name).overlapSeconds).toMatchObject({ maximum: maxOverlapSeconds });
  const schemaOf = (parameter: string) =>
    description.paths['/v1/keys']?.get?.parameters?.find(({ name }) => name === parameter)?.schema;
  expect(schemaOf('limit')).toMatchObject({ maximum: limits.pageSize });
  expect(schemaOf('tag')).toMatchObject({ maxItems: limits.tags });
  expect(schemaOf('state')).toMatchObject({ maxItems: schemas.KeyState?.enum?.length });
  for (const name of ['CreatedKey', 'Key', 'UpdatedKey']) {
    expect(properties(name).name).toMatchObject({ maxLength: limits.nameCharacters });
    expect(properties(name).prefix?.pattern).toBe(prefixShape.source);
  }
  expect(properties('CreatedKey').secret?.pattern).toBe(secretShape.source);
});

test('WholeKey has every field of ApiKey but the revision, which is the ETag, and the counts, which need an argument', () => {
  const type = buildSchema(typeDefs).getType('ApiKey');
  if (!isObjectType(type)) throw new Error('ApiKey is not a type');
  const fields = Object.keys(type.getFields()).filter((name) => name !== 'revision' && name !== 'callsByDay');
  expect(Object.keys(properties('WholeKey')).sort()).toEqual(fields.sort());
  expect([...(schemas.WholeKey?.required ?? [])].sort()).toEqual(fields);
});

test.each([
  ['CreateKey', 'CreateKeyInput'],
  ['UpdateKey', 'UpdateKeyInput'],
  ['RateLimit', 'RateLimitInput'],
])('%s takes the fields of %s, which checks it', (name, input) => {
  const type = buildSchema(typeDefs).getType(input);
  if (!isInputObjectType(type)) throw new Error(`${input} is not an input`);
  const fields = Object.values(type.getFields());
  expect(Object.keys(properties(name)).sort()).toEqual(fields.map((field) => field.name).sort());
  const required = fields.filter(isRequiredInputField).map((field) => field.name);
  expect(schemas[name]?.required ?? []).toEqual(required);
});

/** Errors of requests that are rejected before their path is known. */
const beforeAnyPath = ['REQUEST_TIMEOUT', 'HEADERS_TOO_LARGE'];

describe.each(operations.map((operation) => [operation.operationId, operation] as const))('%s', (_, operation) => {
  it('has named schemas for requests and responses', () => {
    const replies = Object.values(operation.responses).map(({ content }) => content?.['application/json']);
    const contents = [operation.requestBody?.content['application/json'], ...replies];
    const unnamed = contents.filter((content) => content !== undefined && !('$ref' in content.schema));
    expect(unnamed).toEqual([]);
  });

  it('has an example of each error, with the status and the title of its code', () => {
    for (const [status, { content }] of Object.entries(operation.responses)) {
      const problem = content?.['application/problem+json'];
      if (problem === undefined) continue;
      const { allOf } = problem.schema as { allOf: [unknown, { properties: { code: { enum: ErrorCode[] } } }] };
      const examples: Record<string, { value: object }> = Reflect.get(problem, 'examples');
      expect(Object.keys(examples)).toEqual(allOf[1].properties.code.enum);
      for (const code of allOf[1].properties.code.enum) {
        const hasPage = !operation.operationId.startsWith('authorize') && !beforeAnyPath.includes(code);
        const type = `${hasPage ? '/errors#' : 'urn:latchkey:problem:'}${code}`;
        expect(examples[code]?.value).toMatchObject({ type, code, ...errorTable[code], status: Number(status) });
      }
    }
  });
});
