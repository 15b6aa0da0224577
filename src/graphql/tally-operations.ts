import type { ApolloServerPlugin } from '@apollo/server';
import {
  type DocumentNode,
  type GraphQLError,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { OperationTallies } from '../metrics/operation-tallies.ts';
import type { GraphQLContext } from './context.ts';
import { publicError } from './errors.ts';

interface RootField {
  /** As the schema has it. */
  readonly name: string;
  /** As the answer has it. */
  readonly key: string;
}

/** Counts what became of each field of the schema that was asked for, over GraphQL and, through it, over REST. */
export function tallyOperations(operations: OperationTallies): ApolloServerPlugin<GraphQLContext> {
  return {
    requestDidStart: async () => {
      // Until the document is known to be valid, its names are anybody's.
      let fields: readonly RootField[] = [{ name: 'invalid', key: '' }];
      return {
        didResolveOperation: async ({ document, operation }) => {
          if (operation !== undefined) fields = rootFields(document, operation);
        },
        willSendResponse: async ({ errors = [] }) => {
          for (const { name, key } of fields) operations.add(name, outcomeOf(key, errors));
        },
      };
    },
  };
}

function outcomeOf(key: string, errors: readonly GraphQLError[]) {
  // Without a path, it is about the whole operation.
  const error = errors.find(({ path }) => path === undefined || path[0] === key);
  if (error === undefined) return 'OK';
  return publicError(error)?.code ?? 'INTERNAL_SERVER_ERROR';
}

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
