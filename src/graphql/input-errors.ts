/**
 * Returns the errors of an operation's variables, field by field. graphql-js reports one error at a time, as prose that
 * contains the value. The value may be a secret that was pasted into the wrong field.
 */
import {
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
    // The fields of an input object are named without the variable, as REST callers wrote them.
    const object = isInputObjectType(isNonNullType(type) ? type.ofType : type);
    return inputErrors(value, type, object && isRecord(value) ? '' : name);
  });
}

function inputErrors(value: unknown, type: GraphQLInputType, path: string): FieldError[] {
  if (isNonNullType(type)) {
    if (value === undefined) return [{ field: path, message: 'is required' }];
    if (value === null) return [{ field: path, message: 'must not be null' }];
    return inputErrors(value, type.ofType, path);
  }
  if (value === null || value === undefined) return [];
  if (isListType(type)) {
    if (!Array.isArray(value)) return [{ field: path, message: 'must be a list' }];
    return value.flatMap((item, i) => inputErrors(item, type.ofType, `${path}[${i}]`));
  }
  if (isInputObjectType(type)) {
    if (!isRecord(value)) return [{ field: path, message: 'must be an object' }];
    const fields = type.getFields();
    const within = (name: string) => (path === '' ? name : `${path}.${name}`);
    const unknown = Object.keys(value)
      .filter((name) => !Object.hasOwn(fields, name))
      .map((name) => ({ field: within(shorten(name)), message: 'is not a known field' }));
    const known = Object.values(fields).flatMap((field) => {
      const given = Object.hasOwn(value, field.name) ? value[field.name] : undefined;
      if (given === undefined && !isRequiredInputField(field)) return [];
      return inputErrors(given, field.type, within(field.name));
    });
    return [...unknown, ...known];
  }
  try {
    type.parseValue(value);
    return [];
  } catch {
    return [{ field: path, message: expected(type) }];
  }
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
