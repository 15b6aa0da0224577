import type { ApolloServerPlugin } from '@apollo/server';
import type { OperationCounters } from '../metrics/operation-counters.ts';
import type { GraphQLContext } from './context.ts';
import { outcomeOf } from './outcome.ts';
import { type RootField, rootFields } from './root-fields.ts';

/** Counts the outcome of each requested field of Query and Mutation, over GraphQL and REST. */
export function countOutcomes(operations: OperationCounters): ApolloServerPlugin<GraphQLContext> {
  return {
    requestDidStart: async () => {
      // Names in an invalid document are not counted: a client could choose any.
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
