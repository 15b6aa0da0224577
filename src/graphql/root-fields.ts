import { type DocumentNode, Kind, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';

export interface RootField {
  /** As the schema has it; of introspection, only that. */
  readonly name: string;
  /** As the answer has it. */
  readonly key: string;
}

/** What an operation asks of Query or Mutation, of a document that is known to be valid. */
export function rootFields(document: DocumentNode, operation: OperationDefinitionNode): readonly RootField[] {
  const fields = new Map<string, RootField>();
  // Each fragment once, as in execution: spread in one another, they could make millions of visits.
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
  collect(operation.selectionSet);
  return [...fields.values()];
}
