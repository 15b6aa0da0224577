/** Checks an operation before it runs: its variables, its size and its caller's rate limit. */
import { type DocumentNode, GraphQLError, type GraphQLSchema, type OperationDefinitionNode } from 'graphql';
import { badInput, LatchkeyError } from '../domain/errors.ts';
import { coerceVariables, type InputRules } from './coerce-variables.ts';
import type { GraphQLContext } from './context.ts';
import { type DocumentSize, documentSize } from './document-size.ts';
import { applyRules } from './input-rules.ts';
import type { Operation, Variables } from './operation.ts';
import { checkLimits } from './operation-limits.ts';

/** An operation that costs more than this counts as several towards the rate limit. */
const pointsPerOperation = 200;

export interface AcceptedOperation {
  readonly cost: number;
  /** The variables with their defaults, in the types of the resolvers. */
  readonly variables: Variables;
}

/** Throws BAD_USER_INPUT for invalid variables and for an operation that is too large, RATE_LIMITED. */
export function acceptOperation(
  schema: GraphQLSchema,
  { document, definition, fields }: Operation,
  variables: Variables,
  context: GraphQLContext,
): AcceptedOperation {
  const coerced = coerceOrReject(schema, definition, variables, context);
  const size = sizeOf(schema, document, definition, coerced);
  checkLimits(size);
  context.countOperations(Math.max(fields.length, Math.ceil(size.cost / pointsPerOperation)));
  return { cost: size.cost, variables: coerced };
}

/** If a variable has a wrong type, rejects the operation with all errors, also those that use cases find. */
function coerceOrReject(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  variables: Variables,
  { inputErrors, singleIsList, caller, management }: GraphQLContext,
): Record<string, unknown> {
  const coerce = (rules?: InputRules) => coerceVariables(schema, operation, variables, { rules, singleIsList });
  const coerced = coerce();
  if (coerced.ok && inputErrors.length === 0) return coerced.value;
  const { webhookNetworks } = management;
  const checked = coerce((type, given) => applyRules(type, given, { now: caller.now, webhookNetworks }));
  const found = checked.ok ? [] : checked.errors;
  // Fields in `inputErrors` are absent from `variables`. This is not a second error.
  throw badInput([...inputErrors, ...found.filter(({ field }) => !inputErrors.some((error) => error.field === field))]);
}

function sizeOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: { [name: string]: unknown },
): DocumentSize {
  try {
    return documentSize(schema, document, operation, variables);
  } catch (error) {
    // A required argument has a null or absent variable. The message of graphql-js is replaced: it can contain values.
    if (error instanceof GraphQLError)
      throw new LatchkeyError('BAD_USER_INPUT', 'An argument that is required is null or absent.');
    throw error;
  }
}
