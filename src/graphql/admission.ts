/** Checks an operation before it runs: its variables, its size and its caller's rate limit. Then waits for its turn. */
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
import { type InputRules, variableErrors } from './input-errors.ts';
import { applyRules } from './input-rules.ts';
import { rootFields } from './observe-operations.ts';
import { checkLimits } from './operation-limits.ts';

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
          const variables = request.variables ?? {};
          checkInput(schema, operation, variables, contextValue);
          const size = sizeOf(schema, document, operation, variables);
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

/** If a variable has a wrong type, rejects the operation with all errors, also those that use cases find. */
function checkInput(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
  { inputErrors, singleIsList, caller, management }: GraphQLContext,
): void {
  const errors = (rules?: InputRules) => {
    const found = variableErrors(schema, operation, variables, { rules, singleIsList });
    // Fields in `inputErrors` are absent from `variables`. This is not a second error.
    return [...inputErrors, ...found.filter(({ field }) => !inputErrors.some((error) => error.field === field))];
  };
  if (errors().length === 0) return;
  const { webhookNetworks } = management;
  throw badInput(errors((type, given) => applyRules(type, given, { now: caller.now, webhookNetworks })));
}

function sizeOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): DocumentSize {
  const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
  try {
    return documentSize(schema, document, operation, coerced ?? {});
  } catch (error) {
    // A required argument has a null or absent variable. The message of graphql-js is replaced: it can contain values.
    if (error instanceof GraphQLError)
      throw new LatchkeyError('BAD_USER_INPUT', 'An argument that is required is null or absent.');
    throw error;
  }
}
