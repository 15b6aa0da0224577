/** Converts errors to what a caller can read. All errors but LatchkeyError and invalid GraphQL are masked. */
import { HeaderMap } from '@apollo/server';
import { ApolloServerErrorCode, unwrapResolverError } from '@apollo/server/errors';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { errorTable, LatchkeyError } from '../domain/errors.ts';
import { messageWithoutValues } from './message-without-values.ts';

/** Apollo's codes for requests that are not valid GraphQL. */
const badRequests: ReadonlySet<unknown> = new Set([
  ApolloServerErrorCode.GRAPHQL_PARSE_FAILED,
  ApolloServerErrorCode.GRAPHQL_VALIDATION_FAILED,
  ApolloServerErrorCode.BAD_USER_INPUT,
  ApolloServerErrorCode.BAD_REQUEST,
  ApolloServerErrorCode.OPERATION_RESOLUTION_FAILURE,
  ApolloServerErrorCode.PERSISTED_QUERY_NOT_FOUND,
  ApolloServerErrorCode.PERSISTED_QUERY_NOT_SUPPORTED,
]);

/** Returns the error that a caller can read; null for one that must be masked. */
export function publicError(error: unknown): LatchkeyError | null {
  const cause = unwrapResolverError(error);
  if (cause instanceof LatchkeyError) return cause;
  if (!(error instanceof GraphQLError)) return null;
  if (error.originalError instanceof LatchkeyError) return error.originalError;
  return badRequests.has(error.extensions.code)
    ? new LatchkeyError('BAD_USER_INPUT', messageWithoutValues(error))
    : null;
}

export function formatError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const { locations, path } = formatted;
  const { code, message, fields, keyId, retryAfterSeconds } =
    publicError(error) ?? new LatchkeyError('INTERNAL_SERVER_ERROR', 'Something went wrong on our side.');
  return {
    message,
    ...(locations === undefined ? {} : { locations }),
    ...(path === undefined ? {} : { path }),
    extensions: {
      code,
      ...(fields.length === 0 ? {} : { errors: fields }),
      ...(keyId === undefined ? {} : { keyId }),
      ...(code === 'RATE_LIMITED' ? { retryAfterSeconds } : {}),
    },
  };
}

/** Returns the error for an operation that is rejected before it runs, with the status and headers of the response. */
export function rejection(error: LatchkeyError): GraphQLError {
  const headers = new HeaderMap();
  if (error.retryAfterSeconds !== undefined) headers.set('retry-after', String(error.retryAfterSeconds));
  return new GraphQLError(error.message, {
    originalError: error,
    extensions: { http: { status: errorTable[error.code].status, headers } },
  });
}
