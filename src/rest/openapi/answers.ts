/** The schemas of answers: the fields that the operations of the routes select, as REST answers them. */
import { isDeepStrictEqual } from 'node:util';
import {
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  getOperationAST,
  isInputObjectType,
  isListType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import type { RestOperation } from '../rest-operation.ts';
import { closed, inputObject, type Json, nameOf, outputSchema, referTo } from './schemas.ts';

/** Fields of one answer that are absent instead of null, that are never null, or that REST answers under another name. */
export type Exceptions = Readonly<Record<string, 'absent' | 'never null' | Readonly<Record<string, Json>>>>;

export class AnswerSchemas {
  /** The schemas that were asked for, and those that they refer to, by their names. */
  readonly components: Record<string, Json> = {};
  readonly #schema: GraphQLSchema;

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
  }

  add(name: string, { document }: RestOperation<unknown, unknown>, exceptions: Exceptions = {}): void {
    const operation = getOperationAST(document);
    const root = operation && this.#schema.getRootType(operation.operation);
    const [node] = selectedIn(operation?.selectionSet);
    if (root == null || node === undefined) throw new Error(`${name} is the answer of no operation`);
    this.#put(name, this.#answerOf(name, fieldOf(root, node), node, exceptions));
  }

  /** REST answers the nodes of a page alone, and has the next page in `Link`. The entries of `KeyList` are a `Key`. */
  #answerOf(answer: string, field: GraphQLField<unknown, unknown>, node: FieldNode, exceptions: Exceptions): Json {
    const type = getNamedType(field.type);
    if (!isObjectType(type)) throw new Error(`${field.name} is no object`);
    const selected = selectedIn(node.selectionSet);
    const nodes = selected.find(({ name }) => name.value === 'nodes');
    if (nodes !== undefined) return this.#answerOf(answer, fieldOf(type, nodes), nodes, exceptions);
    const object = this.#objectOf(type, selected, exceptions);
    if (!isListType(getNullableType(field.type))) return object;
    const name = answer.replace(/List$/, '');
    this.#put(name, object);
    return { type: 'array', items: referTo(name) };
  }

  #objectOf(type: GraphQLObjectType, nodes: readonly FieldNode[], exceptions: Exceptions = {}): Json {
    const properties = Object.fromEntries(this.#propertiesOf(type, nodes, exceptions));
    return closed(
      properties,
      Object.keys(properties).filter((name) => exceptions[name] !== 'absent'),
    );
  }

  /** The revision of a key is its tag. The fields of the object in a payload are among those beside it. */
  *#propertiesOf(
    type: GraphQLObjectType,
    nodes: readonly FieldNode[],
    exceptions: Exceptions,
  ): Generator<readonly [string, Json]> {
    for (const node of nodes.filter(({ name }) => type.name !== 'ApiKey' || name.value !== 'revision')) {
      const field = fieldOf(type, node);
      const inner = getNamedType(field.type);
      const exception = exceptions[field.name];
      if (isObjectType(inner) && type.name.endsWith('Payload')) {
        yield* this.#propertiesOf(inner, selectedIn(node.selectionSet), exceptions);
      } else if (typeof exception === 'object') {
        yield* Object.entries(exception);
      } else {
        if (isObjectType(inner)) this.#put(nameOf(inner), this.#partOf(inner, node));
        yield [field.name, outputSchema(type.name, field, exception !== undefined)];
      }
    }
  }

  /** An object that callers also send has the schema of the input, which has the limits. */
  #partOf(type: GraphQLObjectType, node: FieldNode): Json {
    const input = this.#schema.getType(`${type.name}Input`);
    if (isInputObjectType(input)) return { description: input.description, ...inputObject(input) };
    return { description: type.description, ...this.#objectOf(type, selectedIn(node.selectionSet)) };
  }

  #put(name: string, schema: Json): void {
    this.components[name] ??= schema;
    if (!isDeepStrictEqual(this.components[name], schema)) throw new Error(`${name} is the name of different answers`);
  }
}

function selectedIn(selection: SelectionSetNode | undefined): readonly FieldNode[] {
  return (selection?.selections ?? []).filter((node) => node.kind === Kind.FIELD);
}

function fieldOf(type: GraphQLObjectType, { name }: FieldNode): GraphQLField<unknown, unknown> {
  const field = type.getFields()[name.value];
  if (field === undefined) throw new Error(`${type.name} has no field ${name.value}`);
  return field;
}
