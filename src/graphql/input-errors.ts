/**
 * Returns the errors of an operation's variables, field by field. graphql-js reports one error at a time, as prose that
 * contains the value. The value may be a secret that was pasted into the wrong field.
 */
import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';
import type { FieldError } from '../domain/errors.ts';
import { type ParsedFields, parsedList, parsedObject } from '../domain/parse-fields.ts';
import { accepted, type Parsed, rejected } from '../domain/parsed.ts';

const expectations: Readonly<Record<string, string>> = {
  UUID: 'must be a UUID, such as 123e4567-e89b-42d3-a456-426614174000',
  DateTime: 'must be an ISO 8601 date-time with an offset, such as 2030-01-31T12:00:00.000Z',
  String: 'must be a string',
  Int: 'must be a whole number',
  Boolean: 'must be true or false',
};

export function variableErrors(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): FieldError[] {
  return (operation.variableDefinitions ?? []).flatMap(({ variable, type: typeNode, defaultValue }) => {
    const type = typeFromAST(schema, typeNode);
    const name = variable.name.value;
    if (!isInputType(type)) return [];
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value === undefined && (defaultValue !== undefined || !isNonNullType(type))) return [];
    const parsed = checkInput(value, type);
    // The fields of an input object are named without the variable, as REST callers wrote them.
    const isObject = isInputObjectType(isNonNullType(type) ? type.ofType : type);
    const fields = isObject && 'errors' in parsed ? parsed : parsedObject({ [name]: parsed });
    return fields.ok ? [] : fields.errors;
  });
}

function checkInput(value: unknown, type: GraphQLInputType): Parsed<unknown> | ParsedFields<unknown> {
  if (isNonNullType(type)) {
    if (value === undefined) return rejected('is required');
    return value === null ? rejected('must not be null') : checkInput(value, type.ofType);
  }
  if (value === null || value === undefined) return accepted(null);
  if (isListType(type)) {
    const items = Array.isArray(value) ? value : null;
    return items === null ? rejected('must be a list') : parsedList(items.map((item) => checkInput(item, type.ofType)));
  }
  if (isInputObjectType(type)) return isRecord(value) ? checkObject(value, type) : rejected('must be an object');
  try {
    return accepted(type.parseValue(value));
  } catch {
    return rejected(expected(type));
  }
}

function checkObject(value: Readonly<Record<string, unknown>>, type: GraphQLInputObjectType): ParsedFields<unknown> {
  const fields = type.getFields();
  const unknown = Object.keys(value)
    .filter((name) => !Object.hasOwn(fields, name))
    .map((name) => [shorten(name), rejected('is not a known field')] as const);
  const known = Object.values(fields).flatMap((field) => {
    const given = Object.hasOwn(value, field.name) ? value[field.name] : undefined;
    if (given === undefined && !isRequiredInputField(field)) return [];
    return [[field.name, checkInput(given, field.type)] as const];
  });
  return parsedObject(Object.fromEntries([...unknown, ...known]));
}

function expected(type: GraphQLInputType): string {
  if (isEnumType(type)) {
    return `must be one of ${type
      .getValues()
      .map(({ name }) => name)
      .join(', ')}`;
  }
  return ('name' in type && expectations[type.name]) || 'is not valid';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Shortens a name, which can be as long as the body. */
function shorten(name: string): string {
  return name.length > 64 ? `${name.slice(0, 64)}…` : name;
}
