import type { GraphQLError } from 'graphql';
import type { OperationOutcome } from '../metrics/operation-counters.ts';
import { publicError } from './errors.ts';

/** Returns the outcome of a field of an operation, by its name in the response. */
export function outcomeOf(key: string, errors: readonly GraphQLError[]): OperationOutcome {
  // An error without a path is about the whole operation.
  const error = errors.find(({ path }) => path === undefined || path[0] === key);
  return error === undefined ? 'OK' : publicError(error).code;
}
