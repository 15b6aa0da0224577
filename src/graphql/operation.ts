import { type DocumentNode, Kind, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';
import type { GraphQLContext } from './context.ts';

/** An operation of a valid document. */
export interface Operation {
  readonly document: DocumentNode;
  readonly definition: OperationDefinitionNode;
  readonly fields: readonly RootField[];
  /** Only for operations of the service itself. Default: graphql-js executes the document. */
  readonly call?: CallField;
}

interface RootField {
  /** The name in the schema; `introspection` for introspection fields. */
  readonly name: string;
  /** The name in the response. */
  readonly key: string;
}

export type Variables = Readonly<Record<string, unknown>>;

/** Calls a field with coerced variables. Throws the first error of its resolvers. */
export type CallField = (variables: Variables, context: GraphQLContext) => Promise<unknown>;

/** Returns an operation of a valid document with the fields of Query or Mutation that it selects. */
export function operationOf(document: DocumentNode, definition: OperationDefinitionNode): Operation {
  const fields = new Map<string, RootField>();
  // Each fragment is visited once, as in execution: nested fragments could otherwise cause millions of visits.
  const fragments = new Map(
    document.definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node.selectionSet]] : [],
    ),
  );
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const name = selection.name.value;
        const key = selection.alias?.value ?? name;
        fields.set(key, { name: name.startsWith('__') ? 'introspection' : name, key });
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        collect(selection.selectionSet);
      } else {
        const name = selection.name.value;
        const fragment = fragments.get(name);
        fragments.delete(name);
        if (fragment !== undefined) collect(fragment);
      }
    }
  };
  collect(definition.selectionSet);
  return { document, definition, fields: [...fields.values()] };
}
