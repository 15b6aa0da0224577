// SECURITY.md: Bytes from outside; Hostile tenant
/** Invalid variables cost no more than what an answer shows of them, however many there are. Counts work, not time. */
import {
  buildSchema,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isObjectType,
  type OperationDefinitionNode,
  parse,
} from 'graphql';
import { expect, it } from 'vitest';
import { maxLength, variableErrors } from '../../src/graphql/input-errors.ts';
import { applyRules } from '../../src/graphql/input-rules.ts';
import { typeDefs } from '../../src/graphql/type-defs.ts';

const schema = buildSchema(typeDefs);
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
  return variableErrors(schema, operation as OperationDefinitionNode, values, { singleIsList: true });
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
  const errors = variableErrors(
    schema,
    operation as OperationDefinitionNode,
    { input: wrong },
    {
      singleIsList: false,
      rules: (type, given) => applyRules(type, given, { now: new Date(0), webhookNetworks: [] }),
    },
  );
  expect(errors.map(({ field }) => field)).toEqual([
    'digest',
    'name',
    'env',
    'scopes[0]',
    'metadata',
    'rateLimit.limit',
    'rateLimit.windowSeconds',
  ]);
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
