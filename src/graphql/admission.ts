/** Admits an operation before any of it runs: its variables are valid, it is not too large, and its caller may go on. */
import type { ApolloServerPlugin } from '@apollo/server';
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getVariableValues,
  type OperationDefinitionNode,
} from 'graphql';
import { badInput, LatchkeyError } from '../domain/errors.ts';
import type { GraphQLContext } from './context.ts';
import { type DocumentSize, documentSize } from './document-size.ts';
import { rejection } from './errors.ts';
import { variableErrors } from './input-errors.ts';
import { checkLimits } from './operation-limits.ts';
import { rootFields } from './root-fields.ts';

/** An operation that costs more counts as several towards the rate limit. */
const pointsPerOperation = 200;

export const admitOperations: ApolloServerPlugin<GraphQLContext> = {
  requestDidStart: async () => ({
    didResolveOperation: async ({ schema, document, operation, request, contextValue }) => {
      // Without an operation, execution says why.
      if (operation === undefined) return;
      try {
        const size = sizeOf(schema, document, operation, request.variables ?? {});
        checkLimits(size);
        const fields = rootFields(document, operation).length;
        await contextValue.countOperations(Math.max(fields, Math.ceil(size.cost / pointsPerOperation)));
      } catch (error) {
        throw error instanceof LatchkeyError ? rejection(error) : error;
      }
    },
  }),
};

function sizeOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): DocumentSize {
  const errors = variableErrors(schema, operation, variables);
  if (errors.length > 0) throw badInput(errors);
  const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
  try {
    return documentSize(schema, document, operation, coerced ?? {});
  } catch (error) {
    // graphql-js's own message may repeat the value. A variable that is null or absent may stand where neither may be.
    if (error instanceof GraphQLError)
      throw new LatchkeyError('BAD_USER_INPUT', 'An argument that is required is null or absent.');
    throw error;
  }
}
