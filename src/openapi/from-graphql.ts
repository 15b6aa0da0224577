/**
 * JSON Schemas of what REST takes and answers, from the GraphQL schema that checks the one and shapes the other: what
 * REST sends goes in as variables, and comes back as an operation asked for it.
 */
import {
  buildSchema,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedOutputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
} from 'graphql';
import { typeDefs } from '../graphql/server.ts';
import { constraints, scalars } from './constraints.ts';
import { exactly, type JsonSchema, nullable } from './json-schema.ts';

const schema = buildSchema(typeDefs);

export interface Taken {
  readonly schema: JsonSchema;
  readonly description: string;
  readonly required: boolean;
}

/** One operation of one field, as REST has them. */
export class DescribedOperation {
  /** As the operation is called, without the `Rest` before it. */
  readonly name: string;
  readonly description: string;
  readonly #root: FieldNode;
  readonly #arguments: readonly GraphQLArgument[];
  readonly #rootType: GraphQLObjectType;

  constructor(document: string) {
    const operation = parse(document).definitions.find(
      (definition): definition is OperationDefinitionNode => definition.kind === Kind.OPERATION_DEFINITION,
    );
    const rootType = operation === undefined ? undefined : schema.getRootType(operation.operation);
    const root = operation?.selectionSet.selections[0];
    if (rootType == null || root?.kind !== Kind.FIELD) throw new Error(`no operation of one field: ${document}`);
    const field = rootType.getFields()[root.name.value];
    const name = operation?.name?.value.replace(/^Rest/, '') ?? '';
    this.name = name.charAt(0).toLowerCase() + name.slice(1);
    this.description = field?.description ?? '';
    this.#root = root;
    this.#rootType = rootType;
    this.#arguments = field?.args ?? [];
  }

  /** What one of the operation's variables takes, by the argument that it is given to. */
  variable(name: string): Taken {
    const node = this.#root.arguments?.find(({ value }) => value.kind === Kind.VARIABLE && value.name.value === name);
    const argument = this.#arguments.find((candidate) => candidate.name === node?.name.value);
    if (argument === undefined) throw new Error(`${this.name} has no variable $${name}`);
    const type = isNonNullType(argument.type) ? argument.type.ofType : argument.type;
    return {
      schema: constraints[`${this.#root.name.value}(${argument.name})`] ?? inputSchema(type),
      description: argument.description ?? '',
      required: isRequiredArgument(argument),
    };
  }

  /** The object of what stands at these places of the result: the fields of an object but for one, or one field. */
  answer(places: readonly string[], except?: string): JsonSchema {
    const [only] = places;
    const found = places.map((place) => this.#selected(place, except));
    if (only !== undefined && found.length === 1 && found[0]?.list === true) {
      return { type: 'array', items: exactly(found[0].fields) };
    }
    return exactly(Object.assign({}, ...found.map(({ fields }) => fields)));
  }

  #selected(
    place: string,
    except: string | undefined,
  ): { readonly fields: Record<string, JsonSchema>; readonly list: boolean } {
    let type: GraphQLOutputType = this.#rootType;
    let selections: SelectionSetNode | undefined = {
      kind: Kind.SELECTION_SET,
      selections: [this.#root],
    };
    for (const name of place.split('.')) {
      const parent: GraphQLNamedOutputType = getNamedType(type);
      const node: FieldNode | undefined = selections?.selections.find(
        (selection): selection is FieldNode => selection.kind === Kind.FIELD && selection.name.value === name,
      );
      const field: GraphQLField<unknown, unknown> | undefined = isObjectType(parent)
        ? parent.getFields()[name]
        : undefined;
      if (node === undefined || field === undefined) throw new Error(`${this.name} does not ask for ${place}`);
      if (node.selectionSet === undefined) return { fields: { [name]: outputField(parent.name, field) }, list: false };
      type = field.type;
      selections = node.selectionSet;
    }
    const parent = getNamedType(type);
    const fields: Record<string, JsonSchema> = {};
    for (const selection of selections.selections) {
      const field = selection.kind === Kind.FIELD && isObjectType(parent) && parent.getFields()[selection.name.value];
      if (field && field.name !== except) fields[field.name] = outputField(parent.name, field);
    }
    return { fields, list: isListType(isNonNullType(type) ? type.ofType : type) };
  }
}

function inputSchema(type: GraphQLInputType): JsonSchema {
  if (isNonNullType(type)) return inputSchema(type.ofType);
  if (isListType(type)) return { type: 'array', items: inputSchema(type.ofType) };
  if (isEnumType(type)) return enumSchema(type.getValues());
  if (!isInputObjectType(type)) return scalar(type.name).input;
  const fields = Object.values(type.getFields());
  const properties = fields.map(({ name, description, type: of }) => {
    const constraint = constraints[`${type.name}.${name}`];
    const shape = constraint ?? (isNonNullType(of) ? inputSchema(of) : nullable(inputSchema(of)));
    return [name, { ...shape, description: description ?? '' }];
  });
  return exactly(
    Object.fromEntries(properties),
    fields.filter((field) => isRequiredInputField(field)).map(({ name }) => name),
  );
}

interface OutputField {
  readonly name: string;
  readonly type: GraphQLOutputType;
  readonly description?: string | null | undefined;
}

function outputField(parent: string, { name, type, description }: OutputField): JsonSchema {
  const schema = constraints[`${parent}.${name}`] ?? outputSchema(isNonNullType(type) ? type.ofType : type);
  return { ...(isNonNullType(type) ? schema : nullable(schema)), description: description ?? '' };
}

function outputSchema(type: GraphQLOutputType): JsonSchema {
  if (isNonNullType(type)) return outputSchema(type.ofType);
  if (isListType(type)) return { type: 'array', items: outputSchema(type.ofType) };
  if (isEnumType(type)) return enumSchema(type.getValues());
  return scalar(getNamedType(type).name).output;
}

function enumSchema(values: readonly { readonly name: string }[]): JsonSchema {
  return { type: 'string', enum: values.map(({ name }) => name) };
}

function scalar(name: string) {
  const known = scalars[name];
  if (known === undefined) throw new Error(`how does JSON spell the GraphQL type ${name}?`);
  return known;
}
