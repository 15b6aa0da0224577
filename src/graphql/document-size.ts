/**
 * Calculates the size of an operation before it runs. Counts a fragment for each use, but visits it once, so that the
 * time is proportional to the document's length.
 */
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  type GraphQLCompositeType,
  GraphQLIncludeDirective,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getArgumentValues,
  getDirectiveValues,
  getNamedType,
  type InlineFragmentNode,
  isCompositeType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  typeFromAST,
} from 'graphql';
import { costOf } from './costs/field-cost.ts';

export interface DocumentSize {
  /** The cost in points (costs/field-cost.ts). */
  readonly cost: number;
  readonly aliases: number;
  readonly directives: number;
  readonly introspections: number;
  /** The nesting of fields and fragments. Introspection is not included, because graphql-js has its own rule for it. */
  readonly depth: number;
}

interface Size extends DocumentSize {
  /** Kilobytes of long texts, whose total in a page is limited. */
  readonly text: number;
  /** The cost for each entry of the enclosing page. */
  readonly entryCost: number;
  readonly entryText: number;
}

const none: Size = {
  cost: 0,
  text: 0,
  entryCost: 0,
  entryText: 0,
  aliases: 0,
  directives: 0,
  introspections: 0,
  depth: 0,
};

/** Returns the size of a valid operation. Throws GraphQLError for an argument with an invalid value. */
export function documentSize(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: { [name: string]: unknown },
): DocumentSize {
  const root = schema.getRootType(operation.operation);
  if (root == null) return none;
  const visitor = new Visitor(schema, document, variables);
  const size = visitor.ofSelections(operation.selectionSet, root);
  return { ...size, cost: size.cost + size.text };
}

class Visitor {
  readonly #schema: GraphQLSchema;
  readonly #variables: { [name: string]: unknown };
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #visited = new Map<string, Size>();

  constructor(schema: GraphQLSchema, { definitions }: DocumentNode, variables: { [name: string]: unknown }) {
    this.#schema = schema;
    this.#variables = variables;
    this.#fragments = new Map(
      definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
    );
  }

  ofSelections({ selections }: SelectionSetNode, type: GraphQLCompositeType): Size {
    return selections.map((selection) => this.#ofSelection(selection, type)).reduce(sum, none);
  }

  #ofSelection(selection: SelectionNode, type: GraphQLCompositeType): Size {
    const directives = selection.directives?.length ?? 0;
    if (directives > 0 && !this.#isIncluded(selection)) return { ...none, directives };
    const size = selection.kind === Kind.FIELD ? this.#ofField(selection, type) : this.#ofFragment(selection, type);
    return { ...size, directives: size.directives + directives };
  }

  /** As execution decides it, so that a field that is left out costs nothing. */
  #isIncluded(node: SelectionNode): boolean {
    const skip = getDirectiveValues(GraphQLSkipDirective, node, this.#variables);
    const include = getDirectiveValues(GraphQLIncludeDirective, node, this.#variables);
    return skip?.if !== true && include?.if !== false;
  }

  #ofFragment(node: InlineFragmentNode | FragmentSpreadNode, type: GraphQLCompositeType): Size {
    const name = node.kind === Kind.FRAGMENT_SPREAD ? node.name.value : null;
    const visited = name === null ? undefined : this.#visited.get(name);
    if (visited !== undefined) return visited;
    const fragment = node.kind === Kind.FRAGMENT_SPREAD ? this.#fragments.get(node.name.value) : node;
    if (fragment === undefined) return none;
    const { typeCondition, selectionSet } = fragment;
    const condition = typeCondition === undefined ? type : typeFromAST(this.#schema, typeCondition);
    const within = isCompositeType(condition) ? this.ofSelections(selectionSet, condition) : none;
    const size = { ...within, depth: within.depth + 1 };
    if (name !== null) this.#visited.set(name, size);
    return size;
  }

  #ofField(node: FieldNode, parent: GraphQLCompositeType): Size {
    const definition = fieldOf(parent, node.name.value);
    if (definition === undefined) return none;
    const type = getNamedType(definition.type);
    const field = `${parent.name}.${node.name.value}`;
    const args = getArgumentValues(definition, node, this.#variables);
    const own = costOf(field, node.alias?.value ?? node.name.value, type, args);
    const within = node.selectionSet && isCompositeType(type) ? this.ofSelections(node.selectionSet, type) : none;
    const total = {
      cost: own.cost + own.objects * within.cost + own.entries * within.entryCost,
      text: own.text + own.objects * within.text + own.entryTexts * within.entryText,
    };
    const isIntrospection = parent.name.startsWith('__') || type.name.startsWith('__');
    const size = {
      ...within,
      aliases: within.aliases + (node.alias === undefined ? 0 : 1),
      introspections: within.introspections + (isIntrospection && !parent.name.startsWith('__') ? 1 : 0),
      depth: isIntrospection ? 0 : within.depth + 1,
    };
    return own.isPerEntry
      ? { ...size, cost: 0, text: 0, entryCost: total.cost, entryText: total.text }
      : { ...size, ...total, entryCost: 0, entryText: 0 };
  }
}

function fieldOf(parent: GraphQLCompositeType, name: string) {
  const meta = [SchemaMetaFieldDef, TypeMetaFieldDef, TypeNameMetaFieldDef].find((field) => field.name === name);
  return meta ?? (isObjectType(parent) ? parent.getFields()[name] : undefined);
}

function sum(a: Size, b: Size): Size {
  return {
    cost: a.cost + b.cost,
    text: a.text + b.text,
    entryCost: a.entryCost + b.entryCost,
    entryText: a.entryText + b.entryText,
    aliases: a.aliases + b.aliases,
    directives: a.directives + b.directives,
    introspections: a.introspections + b.introspections,
    depth: Math.max(a.depth, b.depth),
  };
}
