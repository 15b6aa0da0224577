import type { ApolloServerPlugin } from '@apollo/server';
import type { OperationTallies } from '../metrics/operation-tallies.ts';
import type { GraphQLContext } from './context.ts';
import { outcomeOf } from './outcome.ts';
import { type RootField, rootFields } from './root-fields.ts';

/** Counts what became of each field of the schema that was asked for, over GraphQL and, through it, over REST. */
export function countOutcomes(operations: OperationTallies): ApolloServerPlugin<GraphQLContext> {
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
