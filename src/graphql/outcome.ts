import type { GraphQLError } from 'graphql';
import type { OperationOutcome } from '../metrics/operation-counters.ts';
import { publicError } from './errors.ts';

/** What became of a field of an operation, by the name that it has in the answer. */
export function outcomeOf(key: string, errors: readonly GraphQLError[]): OperationOutcome {
  // Without a path, it is about the whole operation.
  const error = errors.find(({ path }) => path === undefined || path[0] === key);
  if (error === undefined) return 'OK';
  return publicError(error)?.code ?? 'INTERNAL_SERVER_ERROR';
}
