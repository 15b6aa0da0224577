/** Checks an operation before it runs: its variables, its size, its caller's rate limit, and whether it is its turn. */
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

/** An operation that costs more than this counts as several towards the rate limit. */
const pointsPerOperation = 200;

export const admitOperations: ApolloServerPlugin<GraphQLContext> = {
  requestDidStart: async () => {
    let leave: (() => void) | undefined;
    return {
      didResolveOperation: async ({ schema, document, operation, request, contextValue }) => {
        // Execution reports why there is no operation.
        if (operation === undefined) return;
        try {
          const size = sizeOf(schema, document, operation, request.variables ?? {});
          checkLimits(size);
          const fields = rootFields(document, operation).length;
          await contextValue.countOperations(Math.max(fields, Math.ceil(size.cost / pointsPerOperation)));
          leave = await contextValue.takeTurn(size.cost);
        } catch (error) {
          throw error instanceof LatchkeyError ? rejection(error) : error;
        }
      },
      willSendResponse: async () => leave?.(),
    };
  },
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
    // A null or absent variable in place of a required argument. graphql-js's own message can contain the value.
    if (error instanceof GraphQLError)
      throw new LatchkeyError('BAD_USER_INPUT', 'An argument that is required is null or absent.');
    throw error;
  }
}
