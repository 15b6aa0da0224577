/**
 * Coerces the variables of an operation, as graphql-js does (GraphQL, section 6.1.2), with the errors of all fields.
 * graphql-js reports one error at a time and quotes the value, which may be a secret that was pasted into the wrong field.
 */
import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLList,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  type OperationDefinitionNode,
  typeFromAST,
  valueFromAST,
} from 'graphql';
import { type FieldError, isFull } from '../domain/errors.ts';
import { eventTypes } from '../domain/event/event-types.ts';
import { limits } from '../domain/limits.ts';
import { type ParsedFields, parsedList, parsedObject, type Result, type Results } from '../domain/parse-fields.ts';
import { isJsonObject } from '../lib/json-object.ts';
import { accepted, rejected } from '../lib/parsed.ts';
import { expectedOfEnum } from './type-defs.ts';

const expectations: Readonly<Record<string, string>> = {
  UUID: 'must be a UUID, such as 123e4567-e89b-42d3-a456-426614174000',
  DateTime: 'must be an ISO 8601 date-time with an offset, such as 2030-01-31T12:00:00.000Z',
  String: 'must be a string',
  Int: 'must be a whole number',
  Boolean: 'must be true or false',
};

/** The maximum lengths of lists, by field or by type of the entries. A list of an enum has each value at most once. */
const maxEntries: Readonly<Record<string, number>> = {
  scopes: limits.scopes,
  PermittedScopeInput: limits.permittedScopes,
  tags: limits.tags,
  types: eventTypes.length,
  eventIds: limits.replayedEvents,
  subjects: limits.importedMembers,
  String: limits.allowedSources,
  ID: limits.revisions,
  ImportKeyInput: limits.importedKeys,
  KeyToChangeInput: limits.changedKeys,
  HeaderInput: limits.headerLines,
};

/** Applies the rules to the fields of an input object that have the right type. */
export type InputRules = (inputType: string, given: Readonly<Record<string, unknown>>) => Results;

interface Checks {
  /** Default: only types and the lengths of lists are checked. */
  readonly rules?: InputRules | undefined;
  /** Whether one value stands for a list of it, as GraphQL has it (section 3.11), also for variables. */
  readonly singleIsList: boolean;
}

/** Stops when a response can't list more errors. */
export function coerceVariables(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
  checks: Checks,
): ParsedFields<Record<string, unknown>> {
  const errors: FieldError[] = [];
  const values = new Map<string, unknown>();
  for (const { variable, type: typeNode, defaultValue } of operation.variableDefinitions ?? []) {
    const type = typeFromAST(schema, typeNode);
    const name = variable.name.value;
    if (!isInputType(type)) continue;
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value === undefined && defaultValue !== undefined) values.set(name, valueFromAST(defaultValue, type));
    if (value === undefined && (defaultValue !== undefined || !isNonNullType(type))) continue;
    const parsed = checkInput(name, value, type, checks);
    if (parsed.ok) values.set(name, parsed.value);
    // The field names of errors omit the name of the input object's variable, which REST callers do not know.
    const isObject = isInputObjectType(isNonNullType(type) ? type.ofType : type);
    const fields = isObject && 'errors' in parsed ? parsed : parsedObject({ [name]: parsed });
    if (!fields.ok) errors.push(...fields.errors);
    if (isFull(errors)) break;
  }
  return errors.length > 0 ? { ok: false, errors } : accepted(Object.fromEntries(values));
}

function checkInput(name: string, value: unknown, type: GraphQLInputType, checks: Checks): Result<unknown> {
  if (isNonNullType(type)) {
    if (value === undefined) return rejected('is required');
    return value === null ? rejected('must not be null') : checkInput(name, value, type.ofType, checks);
  }
  if (value === null || value === undefined) return accepted(null);
  if (isListType(type)) {
    const checkItem = (item: unknown) => checkInput(name, item, type.ofType, checks);
    if (Array.isArray(value)) return parsedList(value, maxLength(name, type), checkItem);
    if (!checks.singleIsList) return rejected('must be a list');
    const item = checkItem(value);
    return item.ok ? accepted([item.value]) : item;
  }
  if (isInputObjectType(type))
    return isJsonObject(value) ? checkObject(value, type, checks) : rejected('must be an object');
  try {
    return accepted(type.parseValue(value));
  } catch {
    return rejected(expected(type));
  }
}

function checkObject(
  value: Readonly<Record<string, unknown>>,
  type: GraphQLInputObjectType,
  checks: Checks,
): ParsedFields<unknown> {
  const fields = type.getFields();
  const results: (readonly [name: string, result: Result<unknown>])[] = [];
  const defaults: Record<string, unknown> = {};
  for (const name of unknownNames(value, fields)) results.push([shorten(name), rejected('is not a known field')]);
  for (const field of Object.values(fields)) {
    const given = Object.hasOwn(value, field.name) ? value[field.name] : undefined;
    if (given === undefined && field.defaultValue !== undefined) defaults[field.name] = field.defaultValue;
    if (given === undefined && !isRequiredInputField(field)) continue;
    results.push([field.name, checkInput(field.name, given, field.type, checks)]);
  }
  const valid = results.flatMap(([name, result]) => (result.ok ? [[name, result.value] as const] : []));
  const ruled = checks.rules?.(type.name, Object.fromEntries(valid)) ?? {};
  const parsed = parsedObject(
    Object.fromEntries(results.map(([name, result]) => [name, result.ok ? (ruled[name] ?? result) : result])),
  );
  return parsed.ok ? accepted({ ...defaults, ...parsed.value }) : parsed;
}

/** Returns at most as many unknown names as a response lists, because an object can have thousands of names. */
function unknownNames(value: Readonly<Record<string, unknown>>, fields: Readonly<Record<string, unknown>>): string[] {
  const unknown: string[] = [];
  for (const name in value) {
    if (!Object.hasOwn(fields, name)) unknown.push(name);
    if (isFull(unknown)) break;
  }
  return unknown;
}

/** Returns the maximum length of a list. The length is checked before the entries. */
export function maxLength(name: string, { ofType }: GraphQLList<GraphQLInputType>): number {
  const type = getNamedType(ofType);
  if (isEnumType(type)) return type.getValues().length;
  // An input object has a limit of its own, whatever the name of the field.
  const [first, second] = isInputObjectType(type) ? [type.name, name] : [name, type.name];
  return maxEntries[first] ?? maxEntries[second] ?? 0;
}

function expected(type: GraphQLInputType): string {
  return ('name' in type && (expectedOfEnum(type.name) ?? expectations[type.name])) || 'is not valid';
}

/** Shortens a name, which can be as long as the request body. */
function shorten(name: string): string {
  return name.length > 64 ? `${name.slice(0, 64)}…` : name;
}
