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
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const name = selection.name.value;
        const key = selection.alias?.value ?? name;
        fields.set(key, { name: name.startsWith('__') ? 'introspection' : name, key });
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        collect(selection.selectionSet);
      } else {
        const fragment = document.definitions.find(
          (definition) =>
            definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === selection.name.value,
        );
        if (fragment?.kind === Kind.FRAGMENT_DEFINITION) collect(fragment.selectionSet);
      }
    }
  };
  collect(operation.selectionSet);
  return [...fields.values()];
}
