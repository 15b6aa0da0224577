// SECURITY.md: Bytes from outside; Hostile tenant
/** Invalid variables cost no more than what an answer shows of them, however many there are. Counts work, not time. */
import {
  buildSchema,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  getVariableValues,
  isEnumType,
  isInputObjectType,
  isListType,
  isObjectType,
  type OperationDefinitionNode,
  parse,
} from 'graphql';
import { expect, it } from 'vitest';
import { coerceVariables, maxLength } from '../../src/graphql/coerce-variables.ts';
import { applyRules } from '../../src/graphql/input-rules.ts';
import { typeDefs } from '../../src/graphql/type-defs.ts';

const schema = buildSchema(typeDefs);
const aUuid = '123e4567-e89b-42d3-a456-426614174abc';
/** As many as fit into a body. */
const many = 30_000;
/** What an answer lists, and the errors of the last object that was parsed. */
const bound = 150;

/** The number of entries of lists that were read. */
let read = 0;

function entries(length: number, entry: unknown): unknown[] {
  return new Proxy(
    Array.from({ length }, () => entry),
    {
      get: (target, name, receiver) => {
        if (typeof name === 'string' && /^\d+$/.test(name)) read += 1;
        return Reflect.get(target, name, receiver);
      },
    },
  );
}

function errorsOf(variables: string, values: Readonly<Record<string, unknown>>) {
  const [operation] = parse(`query (${variables}) { viewer { subject } }`).definitions;
  read = 0;
  const coerced = coerceVariables(schema, operation as OperationDefinitionNode, values, { singleIsList: true });
  return coerced.ok ? [] : coerced.errors;
}

/** Each list of an input object or an argument, with the name of its field. */
const lists = Object.values(schema.getTypeMap()).flatMap((type) => {
  const inputs = isInputObjectType(type)
    ? Object.values(type.getFields())
    : isObjectType(type)
      ? Object.values(type.getFields()).flatMap(({ args }) => args)
      : [];
  return inputs.flatMap(({ name, type: given }) => {
    const list: GraphQLInputType = getNullableType(given);
    return isListType(list) ? [{ of: `${type.name}.${name}`, name, list }] : [];
  });
});

it('the input has lists of texts, ids, enums and objects, each with a maximum length', () => {
  expect(new Set(lists.map(({ list }) => getNamedType(list).name)).size).toBeGreaterThanOrEqual(6);
  for (const { of, name, list } of lists) expect([of, maxLength(name, list)]).toEqual([of, expect.any(Number)]);
  expect(lists.filter(({ name, list }) => maxLength(name, list) === 0).map(({ of }) => of)).toEqual([]);
});

it.each(lists)('no entry of a list $of that is too long is read', ({ name, list }) => {
  expect(errorsOf(`$${name}: ${list}`, { [name]: entries(many, {}) })).toEqual([
    { field: name, message: `must have at most ${maxLength(name, list)} entries` },
  ]);
  expect(read).toBe(0);
});

it('invalid entries of lists in many variables are read until an answer is full', () => {
  const names = Array.from({ length: 160 }, (_, i) => `a${i}`);
  const values = Object.fromEntries(names.map((name) => [name, entries(11, 'NONE')]));
  const errors = errorsOf(names.map((name) => `$${name}: [AuditAction!]`).join(' '), values);
  expect(errors.length).toBeGreaterThan(100);
  expect(read).toBeLessThanOrEqual(bound);
});

it('invalid fields of many input objects are parsed until an answer is full', () => {
  const [allowedIps, scopes] = [entries(100, 1), entries(50, 1)];
  const keys = Array.from({ length: 200 }, () => ({ allowedIps, scopes }));
  expect(errorsOf('$keys: [ImportKeyInput!]!', { keys }).length).toBeGreaterThan(100);
  expect(read).toBeLessThanOrEqual(bound);
});

it('unknown fields are looked for until an answer is full', () => {
  let looked = 0;
  const names = Array.from({ length: many }, (_, i) => `x${i}`);
  const value = new Proxy(Object.fromEntries(names.map((name) => [name, 1])), {
    getOwnPropertyDescriptor: (target, name) => {
      looked += 1;
      return Reflect.getOwnPropertyDescriptor(target, name);
    },
  });
  const errors = errorsOf('$filter: KeyFilter', { filter: value });
  expect(errors).toHaveLength(101);
  // The fields that KeyFilter has are looked up too.
  expect(looked).toBeLessThanOrEqual(bound);
});

it('rules are applied to fields of the right type only, so that none of them gets a value that it can’t parse', () => {
  const [operation] = parse('query ($input: ImportKeyInput!) { viewer { subject } }').definitions;
  const wrong = { digest: 1, name: 1, env: 'prod', prefix: 'sk', scopes: [1], metadata: 1, rateLimit: { limit: 0 } };
  const coerced = coerceVariables(
    schema,
    operation as OperationDefinitionNode,
    { input: wrong },
    {
      singleIsList: false,
      rules: (type, given) => applyRules(type, given, { now: new Date(0), webhookNetworks: [] }),
    },
  );
  expect(coerced.ok ? [] : coerced.errors.map(({ field }) => field)).toEqual([
    'digest',
    'name',
    'env',
    'scopes[0]',
    'metadata',
    'rateLimit.limit',
    'rateLimit.windowSeconds',
  ]);
});

it.each([
  ['defaults of fields', '$input: CreateKeyInput!', { input: { teamId: aUuid, name: 'a', env: 'live' } }],
  ['fields that are null', '$input: UpdateKeyInput!', { input: { expiresAt: null, metadata: null, tags: [] } }],
  [
    'objects in lists',
    '$keys: [ImportKeyInput!]!',
    { keys: [{ digest: 'a', name: 'b', env: 'test', rateLimit: { limit: 1, windowSeconds: 60 } }] },
  ],
  ['one value for a list', '$tags: [String!], $keys: [KeyToChangeInput!]', { tags: 'a', keys: { id: aUuid } }],
  ['enums and times', '$filter: KeyFilter', { filter: { state: ['ACTIVE'], expiresBefore: '2030-01-31T12:00:00Z' } }],
  ['JSON', '$json: JSON', { json: { a: [1, null, { b: 'c' }] } }],
  ['ids', '$id: UUID!, $other: ID', { id: aUuid.toUpperCase(), other: 5 }],
  [
    'defaults of variables',
    '$first: Int! = 50, $env: KeyEnv = live, $tags: [String!] = "a", $last: Int = 1',
    { last: null },
  ],
  ['absent variables', '$first: Int, $filter: KeyFilter', { filter: null }],
  ['names of the prototype', '$__proto__: Int, $constructor: Int', JSON.parse('{ "__proto__": 1 }')],
])('coerces %s as graphql-js does', (what, definitions, values) => {
  const [operation] = parse(`query (${definitions}) { viewer { subject } }`).definitions;
  const definition = operation as OperationDefinitionNode;
  const { coerced } = getVariableValues(schema, definition.variableDefinitions ?? [], values);
  const own = coerceVariables(schema, definition, values, { singleIsList: true });
  expect(own).toStrictEqual({ ok: true, value: what === 'names of the prototype' ? values : coerced });
});

it.each(lists)('one value stands for a list of it, for $of as in a literal', ({ name, list }) => {
  const named = getNamedType(list);
  const values: Readonly<Record<string, unknown>> = {
    UUID: '123e4567-e89b-42d3-a456-426614174000',
    String: 'a',
    ID: 'a',
  };
  const value = isEnumType(named) ? named.getValues()[0]?.name : values[named.name];
  if (value === undefined) {
    // An input object: the names of its fields have no index.
    const inList = errorsOf(`$${name}: ${list}`, { [name]: [{}] }).map(({ field }) => field.replace('[0]', ''));
    expect(errorsOf(`$${name}: ${list}`, { [name]: {} }).map(({ field }) => field)).toEqual(inList);
    return;
  }
  expect(errorsOf(`$${name}: ${list}`, { [name]: value })).toEqual([]);
  const wrong = errorsOf(`$${name}: ${list}`, { [name]: false });
  expect(wrong).toEqual([{ field: name, message: expect.not.stringContaining('list') }]);
});
